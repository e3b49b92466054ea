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
  // Only an error of the server means that there is no time function.
  const time = await Cloud.run("getServerTime", {}, options).catch(ignoreProtocolError);
  const dateTime = isJsonObject(time) ? time.dateTime : undefined;
  return typeof dateTime === "string" ? `${message}\n\nId: ${applicationId}:${dateTime}` : message;
}

/** What the server creates a message for (EIP-4361, and the same for Solana). */
export interface MessageRequest {
  address: string;
  networkType: "evm" | "solana";
  purpose: "login" | "link";
  /** Hex; of an EVM chain. */
  chain?: string;
}

/** Requests a message of the server. Throws 142 if the server refuses. */
export async function serverMessage(params: MessageRequest, options: RequestOptions = {}): Promise<string> {
  // Wallets compare the domain with the page's.
  const domain = inBrowser() && { domain: location.host };
  const answer = await Cloud.run("requestMessage", { ...params, ...domain }, options);
  if (isJsonObject(answer) && typeof answer.message === "string") return answer.message;
  throw new Error("The server returned no message to sign");
}

/** For requests whose failure is no problem; an abort is rethrown. */
export function ignoreProtocolError(error: unknown): undefined {
  if (!(error instanceof ProtocolError)) throw error;
}
