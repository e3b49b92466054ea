import { isJsonObject, parseJson } from "@purse/protocol";
import { readOperatorFile } from "./operatorFile.ts";

/** Max size of a token list, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** URLs of logos that clients may load. */
const LOGO = /^(https|ipfs|ar):\/\//;
const MAX_LOGO = 2_000;

/** A token of a list (https://tokenlists.org). */
export interface ListedToken {
  chainId: number;
  /** In lower case. */
  address: string;
  logo: string | undefined;
}

/**
 * Reads a token list from a file or an http(s) URL. Rejects with Error if it cannot be read, is larger than 16 MiB or
 * is not a token list. Invalid tokens of a list are skipped.
 */
export async function readTokenList(source: string): Promise<ListedToken[]> {
  const text = await readOperatorFile(source, MAX_BYTES);
  if (text === undefined) throw new Error("it does not exist");
  const list = parseJson(text);
  if (!isJsonObject(list) || !Array.isArray(list.tokens)) throw new Error("it is not a token list");
  return list.tokens.flatMap((token) => {
    if (!isJsonObject(token)) return [];
    const { chainId, address, logoURI } = token;
    if (typeof chainId !== "number" || typeof address !== "string" || !ADDRESS.test(address)) return [];
    const isLogo = typeof logoURI === "string" && logoURI.length <= MAX_LOGO && LOGO.test(logoURI);
    return [{ chainId, address: address.toLowerCase(), logo: isLogo ? logoURI : undefined }];
  });
}
