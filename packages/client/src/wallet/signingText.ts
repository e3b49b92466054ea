import { isJsonObject, ProtocolError } from "@purse/protocol";
import { Cloud } from "../cloud.ts";
import { connection } from "../connection.ts";
import { inBrowser } from "../storage.ts";
import type { RequestOptions } from "../transport.ts";

/**
 * A message with the line that makes it fresh: the application's id and the server's time. Servers that
 * know no time get the message as it is, which may hold a time and nonce of its own.
 */
export async function datedText(message: string, options: RequestOptions = {}): Promise<string> {
  const { applicationId } = connection();
  const time = await Cloud.run("getServerTime", {}, options).catch(ifAnswered);
  const dateTime = isJsonObject(time) ? time.dateTime : undefined;
  return typeof dateTime === "string" ? `${message}\n\nId: ${applicationId}:${dateTime}` : message;
}

/** A message of the server's own (EIP-4361) for an address; `chainId` is hex. Throws 142 where it allows none. */
export async function siweText(
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
    // Wallets compare the message with the page that they are in.
    ...(inBrowser() && { domain: location.host }),
  };
  const answer = await Cloud.run("requestMessage", params, options);
  if (isJsonObject(answer) && typeof answer.message === "string") return answer.message;
  throw new Error("The server made no message to sign");
}

/** Only what a server says means that it has no time; an end of the call by its caller stays one. */
function ifAnswered(error: unknown): undefined {
  if (!(error instanceof ProtocolError)) throw error;
}
