import { isJsonObject, ProtocolError } from "@purse/protocol";
import { Cloud } from "../cloud.ts";
import { connection } from "../connection.ts";
import { inBrowser } from "../storage.ts";
import type { RequestOptions } from "../transport.ts";

/**
 * Appends the application's id and the server's time to a message, which make it fresh. If the server
 * has no time function the message is unchanged; it may contain a time and nonce of its own.
 */
export async function timestampedMessage(message: string, options: RequestOptions = {}): Promise<string> {
  const { applicationId } = connection();
  const time = await Cloud.run("getServerTime", {}, options).catch(ignoreProtocolError);
  const dateTime = isJsonObject(time) ? time.dateTime : undefined;
  return typeof dateTime === "string" ? `${message}\n\nId: ${applicationId}:${dateTime}` : message;
}

/** Requests a message of the server (EIP-4361) for an address; `chainId` is hex. Throws 142 if the server refuses. */
export async function siweMessage(
  address: string,
  chainId: string | null,
  purpose: "login" | "link",
  options: RequestOptions = {},
): Promise<string> {
  const params = {
    address,
    networkType: "evm",
    purpose,
    ...(chainId !== null && { chain: chainId }),
    // Wallets compare the domain with the page's.
    ...(inBrowser() && { domain: location.host }),
  };
  const answer = await Cloud.run("requestMessage", params, options);
  if (isJsonObject(answer) && typeof answer.message === "string") return answer.message;
  throw new Error("The server returned no message to sign");
}

/** Only a server error means that there is no time function; an abort is rethrown. */
function ignoreProtocolError(error: unknown): undefined {
  if (!(error instanceof ProtocolError)) throw error;
}
