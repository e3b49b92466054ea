import { keccak256, stringToBytes } from "viem";

/**
 * Returns the headers of a message: `x-signature` is the keccak-256 of the body and the secret, as Moralis signs
 * (https://docs.moralis.com/streams/security-and-reliability/webhook-security). Without a secret, it is not signed.
 */
export function streamHeaders(body: string, secret: string | undefined): Record<string, string> {
  const headers = { "content-type": "application/json" };
  return secret === undefined
    ? headers
    : { ...headers, "x-signature": keccak256(stringToBytes(body + secret)) };
}
