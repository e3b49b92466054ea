import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import { newObjectId } from "../../data/objects/objectId.ts";
import { createRow, findRows, getRow } from "../../database/serverRows.ts";
import type { OperatorDependencies } from "../../studio/operators.ts";
import type { StudioConfigVersion } from "../../studioApi/globalConfig.ts";

const MAX_VERSIONS = 200;

/** Versions of the application's config, saved before each change by an operator. */
export class ConfigHistory {
  readonly #dependencies: OperatorDependencies;

  constructor(dependencies: OperatorDependencies) {
    this.#dependencies = dependencies;
  }

  async save(config: { params: JsonObject; masterKeyOnly: JsonObject }, username: string): Promise<void> {
    const id = newObjectId();
    const { store, classes, clock } = this.#dependencies;
    await store.write([createRow(classes._StudioConfig, id, clock(), { username, ...config, ACL: {} })]);
  }

  /** Returns the newest first. */
  async list(): Promise<StudioConfigVersion[]> {
    const { store, classes } = this.#dependencies;
    const rows = await findRows(store, classes._StudioConfig, { order: "-createdAt", limit: MAX_VERSIONS });
    return rows.map(toConfigVersion);
  }

  /** Throws 101. */
  async get(id: string): Promise<StudioConfigVersion> {
    const row = await getRow(this.#dependencies.store, this.#dependencies.classes._StudioConfig, id);
    if (row) return toConfigVersion(row);
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
