import { ErrorCode, isJsonObject, type JsonObject, ProtocolError, tryParseJson } from "@purse/protocol";
import { connection } from "../connection.ts";
import { installationId } from "../installationId.ts";
import type { FetchOptions, SaveOptions } from "../object/callOptions.ts";
import { type Attributes, ParseObject } from "../object/ParseObject.ts";
import { loadValueTypes } from "../object/valueTypes.ts";
import { storageKey } from "../storage.ts";

const DEVICE_TYPES = {
  IOS: "ios",
  MACOS: "macos",
  TVOS: "tvos",
  FCM: "fcm",
  ANDROID: "android",
  WEB: "web",
} as const;

/** The name of the installation's record in the storage. */
const STORAGE_NAME = "currentInstallation";

/** Fields of an installation. */
export interface InstallationAttributes {
  appIdentifier: string;
  appName: string;
  appVersion: string;
  badge: number;
  channels: string[];
  deviceToken: string;
  deviceType: string;
  GCMSenderId: string;
  installationId: string;
  localeIdentifier: string;
  parseVersion: string;
  pushType: string;
  timeZone: string;
}

/** An application on a device, which can receive push notifications. */
export class Installation<A extends object = Attributes> extends ParseObject<InstallationAttributes & A> {
  static readonly className: string = "_Installation";

  static readonly DEVICE_TYPES = DEVICE_TYPES;

  constructor(attributes?: Partial<InstallationAttributes & A>) {
    super("_Installation", attributes);
  }

  get appIdentifier(): unknown {
    return this._get("appIdentifier");
  }

  get appName(): unknown {
    return this._get("appName");
  }

  get appVersion(): unknown {
    return this._get("appVersion");
  }

  get badge(): unknown {
    return this._get("badge");
  }

  get channels(): unknown {
    return this._get("channels");
  }

  get deviceToken(): unknown {
    return this._get("deviceToken");
  }

  get deviceType(): unknown {
    return this._get("deviceType");
  }

  get GCMSenderId(): unknown {
    return this._get("GCMSenderId");
  }

  get installationId(): unknown {
    return this._get("installationId");
  }

  get localeIdentifier(): unknown {
    return this._get("localeIdentifier");
  }

  get parseVersion(): unknown {
    return this._get("parseVersion");
  }

  get pushType(): unknown {
    return this._get("pushType");
  }

  get timeZone(): unknown {
    return this._get("timeZone");
  }

  /** Fetches; an installation that was deleted on the server is recreated. */
  override fetch(options: FetchOptions = {}): Promise<this> {
    return this.#recreateIfMissing(() => super.fetch(options), options);
  }

  /** Saves; an installation that was deleted on the server is recreated. */
  override _save(key?: string | object | null, value?: unknown, last?: SaveOptions): Promise<this> {
    return this.#recreateIfMissing(() => super._save(key, value, last), last ?? {});
  }

  override async _afterSync(): Promise<void> {
    const conn = connection();
    if (this._get("installationId") !== (await installationId(conn))) return;
    await conn.storage.area.setItem(
      storageKey(conn.applicationId, STORAGE_NAME),
      JSON.stringify(this._toFullJSON()),
    );
  }

  override async _afterDestroy(): Promise<void> {
    const conn = connection();
    if (this._get("installationId") !== (await installationId(conn))) return;
    await conn.storage.area.removeItem(storageKey(conn.applicationId, STORAGE_NAME));
  }

  async #recreateIfMissing(call: () => Promise<this>, options: SaveOptions): Promise<this> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.code !== ErrorCode.OBJECT_NOT_FOUND) throw error;
      const fields = { ...this.attributes };
      this.id = undefined;
      this._state.clear();
      this._setOrThrow(fields);
      return super._save(null, options);
    }
  }

  /** This installation: as it was saved last, or a new one for a browser with its installationId. */
  static async currentInstallation(): Promise<Installation> {
    const conn = connection();
    const text = await conn.storage.area.getItem(storageKey(conn.applicationId, STORAGE_NAME));
    if (text) await loadValueTypes(text);
    const installation = new Installation();
    const stored = parseStored(text);
    if (stored) installation._finishFetch(stored);
    else
      installation._setOrThrow({ installationId: await installationId(conn), deviceType: DEVICE_TYPES.WEB });
    return installation;
  }
}

function parseStored(text: string | null): JsonObject | undefined {
  if (!text) return undefined;
  const value = tryParseJson(text);
  // The next save replaces a damaged record.
  if (!isJsonObject(value)) return undefined;
  const { className: _, __type, ...fields } = value;
  return fields;
}
