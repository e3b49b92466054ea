import { ErrorCode, isJsonObject, type JsonObject, ownValue, ProtocolError } from "@purse/protocol";
import { connection } from "./connection.ts";
import { escapeHtml } from "./escapeHtml.ts";
import { decode } from "./object/decode.ts";
import { encodeFields, mapFields } from "./object/encode.ts";
import { storageKey, withStorageFallback } from "./storage.ts";
import { type RequestOptions, requestObject } from "./transport.ts";

/** The application's settings, stored on the server (Parse.Config). */
export class Config {
  readonly attributes: Readonly<Record<string, unknown>>;

  constructor(attributes: Record<string, unknown> = {}) {
    this.attributes = Object.freeze(attributes);
  }

  get(key: string): unknown {
    return ownValue(this.attributes, key);
  }

  /** The setting as text that is safe in HTML. */
  escape(key: string): string {
    return escapeHtml(this.get(key));
  }

  /** Fetches the settings and caches them for `current`. Throws 107 for a response without settings. */
  static async get(options: RequestOptions = {}): Promise<Config> {
    const { params } = await requestObject("GET", "config", {}, options);
    if (!isJsonObject(params)) {
      throw new ProtocolError(ErrorCode.INVALID_JSON, "Config JSON response invalid.");
    }
    const conn = connection();
    const key = storageKey(conn.applicationId, "currentConfig");
    await withStorageFallback<unknown>(
      () => conn.storage.area.setItem(key, JSON.stringify(params)),
      undefined,
    );
    return new Config(mapFields(params, decode));
  }

  /** Returns the settings that were fetched last, from the storage. */
  static async current(): Promise<Config> {
    const conn = connection();
    const text = await conn.storage.area.getItem(storageKey(conn.applicationId, "currentConfig"));
    const params: unknown = text ? JSON.parse(text) : {};
    return new Config(isJsonObject(params) ? mapFields(params, decode) : {});
  }

  /** Changes settings; `masterKeyOnly` marks those that only the master key reads. Needs the master key. */
  static async save(attributes: object, masterKeyOnly: Record<string, boolean> = {}): Promise<Config> {
    const payload: JsonObject = { params: encodeFields(attributes), masterKeyOnly };
    const { result } = await requestObject("PUT", "config", payload, { useMasterKey: true });
    if (result) return Config.get({ useMasterKey: true });
    throw new ProtocolError(ErrorCode.INTERNAL_SERVER_ERROR, "Error occured updating Config.");
  }
}
