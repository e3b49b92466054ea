import type { JsonObject } from "@purse/protocol";
import type { Purse } from "../support/purse.ts";

/** The response to a client, which may be missing. */
export interface Answer {
  status: number;
  body: JsonObject;
}

const MASTER_KEY = "X-Parse-Master-Key";

export interface SendOptions {
  requestId?: string | undefined;
  attempt?: number;
  sessionToken?: string;
  isMaster?: boolean;
}

/** Returns undefined without a response. */
export async function send(
  purse: Purse,
  method: string,
  path: string,
  body?: unknown,
  { requestId, attempt = 1, sessionToken, isMaster }: SendOptions = {},
): Promise<Answer | undefined> {
  const headers: Record<string, string> = {
    "X-Parse-Application-Id": purse.appId,
    "Content-Type": attempt > 1 ? `text/plain; attempt=${attempt}` : "text/plain",
    ...(requestId !== undefined && { "X-Parse-Request-Id": requestId }),
    ...(sessionToken !== undefined && { "X-Parse-Session-Token": sessionToken }),
    ...(isMaster && { [MASTER_KEY]: purse.masterKey }),
  };
  try {
    const response = await fetch(`${purse.serverUrl}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return undefined;
  }
}

/** The content of the file with a token: several times the size of what is sent at once. */
export function contentOf(token: string): string {
  return token.repeat(2_000);
}

/** Uploads the file with a token. Returns undefined without a response. */
export async function upload(purse: Purse, token: string): Promise<Answer | undefined> {
  try {
    const response = await fetch(`${purse.serverUrl}/files/${token}.txt`, {
      method: "POST",
      headers: {
        "X-Parse-Application-Id": purse.appId,
        [MASTER_KEY]: purse.masterKey,
        "Content-Type": "text/plain",
      },
      body: contentOf(token),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return undefined;
  }
}
