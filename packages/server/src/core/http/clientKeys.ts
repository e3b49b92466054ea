import { createHash, timingSafeEqual } from "node:crypto";

/** Keys that identify the client apps of a server. They are public, as apps contain them. */
export interface ClientKeys {
  clientKey?: string | undefined;
  javascriptKey?: string | undefined;
  restAPIKey?: string | undefined;
  dotNetKey?: string | undefined;
}

/** The header and the field of the body in which clients send each key. */
export const CLIENT_KEY_NAMES = {
  clientKey: { header: "x-parse-client-key", field: "_ClientKey" },
  javascriptKey: { header: "x-parse-javascript-key", field: "_JavaScriptKey" },
  restAPIKey: { header: "x-parse-rest-api-key", field: "_RESTAPIKey" },
  dotNetKey: { header: "x-parse-windows-key", field: "_WindowsKey" },
} as const satisfies Record<keyof ClientKeys, { header: string; field: string }>;

export const CLIENT_KEYS = ["clientKey", "javascriptKey", "restAPIKey", "dotNetKey"] as const;

/** Creates the check of the keys of a request: one of those that the server has must be right, if it has any. */
export function createClientKeyCheck(configured: ClientKeys): (sent: ClientKeys) => boolean {
  const expected = CLIENT_KEYS.flatMap((name) => {
    const key = configured[name];
    return key === undefined ? [] : [{ name, digest: digestOf(key) }];
  });
  return (sent) =>
    expected.length === 0 ||
    expected.some(({ name, digest }) => {
      const key = sent[name];
      return key !== undefined && timingSafeEqual(digestOf(key), digest);
    });
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
