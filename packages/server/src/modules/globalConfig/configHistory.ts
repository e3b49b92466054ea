import { ErrorCode, isJsonObject, type JsonObject, jsonEqual, ProtocolError } from "@purse/protocol";
import { newObjectId } from "../../data/objects/objectId.ts";
import { createRow, findRows, getRow } from "../../database/serverRows.ts";
import type { OperatorDependencies } from "../../studio/operators.ts";
import { type StudioConfigVersion, studioConfigVersion } from "../../studioApi/globalConfig.ts";

const MAX_VERSIONS = 200;

interface ConfigState {
  params: JsonObject;
  masterKeyOnly: JsonObject;
}

/** The latest versions of the application's config that a change has replaced. */
export class ConfigHistory {
  readonly #dependencies: OperatorDependencies;

  constructor(dependencies: OperatorDependencies) {
    this.#dependencies = dependencies;
  }

  /** Saves the version before a change of the named parameters, with what they are after it; none if they are the same. */
  async save(
    before: ConfigState,
    after: ConfigState,
    names: readonly string[],
    username: string,
  ): Promise<void> {
    if (jsonEqual({ ...before }, { ...after })) return;
    const id = newObjectId();
    const { store, classes, clock } = this.#dependencies;
    const change = {
      names: [...names],
      params: pick(after.params, names),
      masterKeyOnly: pick(after.masterKeyOnly, names),
    };
    const fields = { username, ...before, change, ACL: {} };
    const schema = classes._StudioConfig;
    const oldest = await findRows(store, schema, { order: "-createdAt", skip: MAX_VERSIONS - 1, limit: 100 });
    await store.write([
      createRow(schema, id, clock(), fields),
      ...oldest.map(({ objectId }) => ({
        kind: "delete" as const,
        schema,
        id: String(objectId),
        subjects: null,
      })),
    ]);
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
  change,
}: JsonObject): StudioConfigVersion {
  const parsed = studioConfigVersion.shape.change.safeParse(change);
  return {
    id: String(objectId),
    replacedAt: String(createdAt),
    username: String(username),
    params: isJsonObject(params) ? params : {},
    masterKeyOnly: isJsonObject(masterKeyOnly) ? masterKeyOnly : {},
    ...(parsed.data && { change: parsed.data }),
  };
}

function pick(values: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}
