import { type Connection, configure, setting } from "./connection.ts";
import { installationId } from "./installationId.ts";
import { allowCustomUserClass, storedClassName } from "./object/registry.ts";
import { inBrowser } from "./storage.ts";
import { type Method, type RequestOptions, request, VERSION } from "./transport.ts";

/** Parse's configuration keys and the connection settings that they map to. */
const CONNECTION_KEYS = {
  APPLICATION_ID: "applicationId",
  JAVASCRIPT_KEY: "javascriptKey",
  MASTER_KEY: "masterKey",
  SERVER_URL: "serverUrl",
  LIVEQUERY_SERVER_URL: "liveQueryUrl",
  REQUEST_ATTEMPT_LIMIT: "requestAttemptLimit",
  REQUEST_BATCH_SIZE: "batchSize",
  IDEMPOTENCY: "idempotency",
  REQUEST_HEADERS: "requestHeaders",
  SERVER_AUTH_TYPE: "serverAuthType",
  SERVER_AUTH_TOKEN: "serverAuthToken",
  ENCRYPTED_KEY: "secret",
  FORCE_REVOCABLE_SESSION: "revocableSession",
} as const satisfies Record<string, keyof Connection>;

/** The settings under their Parse names. Controllers cannot be replaced: pass implementations to `start` instead. */
export const CoreManager = {
  /** Throws for an unknown key. */
  get(key: string): unknown {
    if (isConnectionKey(key)) return setting(CONNECTION_KEYS[key]);
    switch (key) {
      case "PERFORM_USER_REWRITE":
        return storedClassName("User") === "_User";
      case "IS_NODE":
        return !inBrowser();
      case "VERSION":
        return `js${VERSION}`;
      default:
        throw new Error(`Configuration key not found: ${key}`);
    }
  },

  set(key: string, value: unknown): void {
    if (isConnectionKey(key)) {
      const name = CONNECTION_KEYS[key];
      configure({
        [name]: name === "serverUrl" ? String(value).replace(/\/+$/, "") : (value ?? undefined),
      });
    } else if (key === "PERFORM_USER_REWRITE") allowCustomUserClass(!value);
    else throw new Error(`Configuration key not found: ${key}`);
  },

  setIfNeeded(key: string, value: unknown): unknown {
    const current = CoreManager.get(key);
    if (current === undefined || current === null) CoreManager.set(key, value);
    return CoreManager.get(key);
  },

  /** Makes calls that have no method of their own. */
  getRESTController: () => ({
    request: async (method: Method, path: string, data: object = {}, options: RequestOptions = {}) =>
      (await request(method, path, { ...data }, options)).body,
  }),

  /** The live query client of the connection, for opening it manually. */
  getLiveQueryController: () => ({
    getDefaultLiveQueryClient: async () => (await import("./live/liveQuery.ts")).liveQueryClient(),
  }),

  getInstallationController: () => ({ currentInstallationId: () => installationId() }),
};

function isConnectionKey(key: string): key is keyof typeof CONNECTION_KEYS {
  return Object.hasOwn(CONNECTION_KEYS, key);
}
