import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import { newObjectId } from "../objects/objectId.ts";
import type { OperatorsParts } from "./operators.ts";

export interface ConfigVersion {
  id: string;
  /** When it was replaced, and by whom. */
  replacedAt: string;
  username: string;
  params: JsonObject;
  masterKeyOnly: JsonObject;
}

const MOST = 200;

/** The application's settings as they were before each change of an operator. */
export class ConfigHistory {
  readonly #parts: OperatorsParts;

  constructor(parts: OperatorsParts) {
    this.#parts = parts;
  }

  async keep(config: { params: JsonObject; masterKeyOnly: JsonObject }, username: string): Promise<void> {
    const id = newObjectId();
    const at = new Date(this.#parts.clock()).toISOString();
    const object = { objectId: id, createdAt: at, updatedAt: at, username, ...config, ACL: {} };
    const schema = this.#parts.classes._StudioConfig;
    await this.#parts.store.write([{ kind: "create", schema, id, at, object }]);
  }

  /** The newest first. */
  async list(): Promise<ConfigVersion[]> {
    const texts = await this.#parts.store.find({
      schema: this.#parts.classes._StudioConfig,
      where: { kind: "and", conditions: [] },
      order: [{ path: ["createdAt"], descending: true }],
      limit: MOST,
      skip: 0,
      principals: null,
    });
    return texts.map((text) => read(JSON.parse(text)));
  }

  /** Throws 101. */
  async get(id: string): Promise<ConfigVersion> {
    const text = await this.#parts.store.get(this.#parts.classes._StudioConfig, id, null);
    if (text !== undefined) return read(JSON.parse(text));
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "There is no such version.");
  }
}

function read({ objectId, createdAt, username, params, masterKeyOnly }: JsonObject): ConfigVersion {
  return {
    id: String(objectId),
    replacedAt: String(createdAt),
    username: String(username),
    params: isJsonObject(params) ? params : {},
    masterKeyOnly: isJsonObject(masterKeyOnly) ? masterKeyOnly : {},
  };
}
