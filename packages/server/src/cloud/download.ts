import { isJsonObject } from "@purse/protocol";
import type { HostRequest } from "./workerMessages.ts";

/** Downloads from a public address, or a saved file, through the server. Resolves with the content in base64. */
export async function download(
  callHost: (request: HostRequest) => Promise<unknown>,
  url: string,
): Promise<string> {
  const reply = await callHost({ kind: "download", url });
  if (!isJsonObject(reply) || typeof reply.base64 !== "string")
    throw new Error("The server sent no response");
  return reply.base64;
}
