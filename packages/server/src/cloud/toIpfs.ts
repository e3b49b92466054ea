import { ParseFile } from "@purse/client";
import { download } from "./download.ts";
import type { HostRequest } from "./workerMessages.ts";

export interface ToIpfsOptions {
  sourceType: "url" | "string" | "object" | "base64" | "base64Binary";
  /** A URL at a public address, a text, JSON data, or content in base64. */
  source: unknown;
}

/** Stores content in IPFS, as `Moralis.Cloud.toIpfs` of Moralis v1; `path` is its URL. */
export async function storeInIpfs(
  { sourceType, source }: ToIpfsOptions,
  callHost: (request: HostRequest) => Promise<unknown>,
): Promise<{ path: string }> {
  const file = new ParseFile("content", { base64: await base64Of(sourceType, source, callHost) });
  await file.saveIPFS({ useMasterKey: true });
  const path = file.ipfs();
  if (path === undefined) throw new Error("The content could not be stored in IPFS");
  return { path };
}

async function base64Of(
  sourceType: ToIpfsOptions["sourceType"],
  source: unknown,
  callHost: (request: HostRequest) => Promise<unknown>,
): Promise<string> {
  if (sourceType === "object") return toBase64(JSON.stringify(source));
  if (typeof source !== "string") throw new Error(`toIpfs needs a text as the source of ${sourceType}`);
  switch (sourceType) {
    case "string":
      return toBase64(source);
    case "base64":
    case "base64Binary":
      return source;
    case "url":
      return download(callHost, source);
    default:
      throw new Error("toIpfs needs a sourceType: url, string, object, base64 or base64Binary");
  }
}

function toBase64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
