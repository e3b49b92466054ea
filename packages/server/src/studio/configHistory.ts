import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import { newObjectId } from "../data/objects/objectId.ts";
import type { StudioConfigVersion } from "../studioApi/pushAndConfig.ts";
import type { OperatorDependencies } from "./operators.ts";

const MAX_VERSIONS = 200;

/** Versions of the application's config, saved before each change by an operator. */
export class ConfigHistory {
  readonly #dependencies: OperatorDependencies;

  constructor(dependencies: OperatorDependencies) {
    this.#dependencies = dependencies;
  }

  async save(config: { params: JsonObject; masterKeyOnly: JsonObject }, username: string): Promise<void> {
    const id = newObjectId();
    const at = new Date(this.#dependencies.clock()).toISOString();
    const object = { objectId: id, createdAt: at, updatedAt: at, username, ...config, ACL: {} };
    const schema = this.#dependencies.classes._StudioConfig;
    await this.#dependencies.store.write([{ kind: "create", schema, id, at, object }]);
  }

  /** Returns the newest first. */
  async list(): Promise<StudioConfigVersion[]> {
    const texts = await this.#dependencies.store.find({
      schema: this.#dependencies.classes._StudioConfig,
      where: { kind: "and", conditions: [] },
      order: [{ path: ["createdAt"], descending: true }],
      limit: MAX_VERSIONS,
      skip: 0,
      subjects: null,
    });
    return texts.map((text) => toConfigVersion(JSON.parse(text)));
  }

  /** Throws 101. */
  async get(id: string): Promise<StudioConfigVersion> {
    const text = await this.#dependencies.store.get(this.#dependencies.classes._StudioConfig, id, null);
    if (text !== undefined) return toConfigVersion(JSON.parse(text));
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "The version does not exist.");
  }
}

function toConfigVersion({
  objectId,
  createdAt,
  username,
  params,
  masterKeyOnly,
}: JsonObject): StudioConfigVersion {
  return {
    id: String(objectId),
    replacedAt: String(createdAt),
    username: String(username),
    params: isJsonObject(params) ? params : {},
    masterKeyOnly: isJsonObject(masterKeyOnly) ? masterKeyOnly : {},
  };
}
