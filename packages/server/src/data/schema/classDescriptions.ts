import type { JsonObject } from "@purse/protocol";
import type { ClassSchema } from "../../database/classSchema.ts";
import { findRows } from "../../database/serverRows.ts";
import type { Store } from "../../database/store.ts";
import type { ClassRules } from "../objects/classRules.ts";
import { describeClass } from "./describe.ts";
import type { Schemas } from "./schemas.ts";

/** How the schemas API describes classes, and which of them it lists. */
export interface ClassDescriptions {
  describe(schema: ClassSchema): Promise<JsonObject>;
  /** Whether a class is listed. Others are created as if they did not exist. */
  isListed(schema: ClassSchema): Promise<boolean>;
}

/** Everything that there is. */
export const FULL_DESCRIPTIONS: ClassDescriptions = {
  describe: async (schema) => describeClass(schema),
  isListed: async () => true,
};

/** System classes that Parse Server lists from the start. */
const ALWAYS_LISTED: ReadonlySet<string> = new Set(["_User", "_Role"]);

/** Fields that Parse Server does not have. */
const OWN_FIELDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["_User", new Set(["accounts", "ethAddress"])],
  ["_Role", new Set(["gate"])],
  ["_Session", new Set(["restricted", "userAgent", "lastUsedAt"])],
]);

export interface ParseDescriptionDependencies {
  store: Pick<Store, "find">;
  schemas: Schemas;
  rules: ReadonlyMap<string, ClassRules>;
}

/**
 * Descriptions as of Parse Server: system classes are listed once they have objects or were changed. The fields and
 * indexes that Purse adds to them are left out, the wallet addresses of users until there are wallets.
 */
export function createParseDescriptions({
  store,
  schemas,
  rules,
}: ParseDescriptionDependencies): ClassDescriptions {
  async function hasObjects(schema: ClassSchema): Promise<boolean> {
    return (await findRows(store, schema, { limit: 1 })).length > 0;
  }

  async function hiddenFields(className: string): Promise<ReadonlySet<string>> {
    const areUsed = className === "_User" && (await hasObjects(schemas.require("_EthAddress")));
    return (areUsed ? undefined : OWN_FIELDS.get(className)) ?? new Set();
  }

  function isAsCreated(schema: ClassSchema): boolean {
    const { fields = {}, indexes = {}, classLevelPermissions = {} } = rules.get(schema.className) ?? {};
    return (
      Object.keys(schema.fields).every((name) => Object.hasOwn(fields, name)) &&
      Object.keys(schema.indexes).every((name) => Object.hasOwn(indexes, name)) &&
      JSON.stringify(schema.classLevelPermissions) === JSON.stringify(classLevelPermissions)
    );
  }

  return {
    async describe(schema) {
      const hidden = await hiddenFields(schema.className);
      const ownIndexes = rules.get(schema.className)?.indexes ?? {};
      const fields = Object.entries(schema.fields).filter(([name]) => !hidden.has(name));
      const indexes = Object.entries(schema.indexes).filter(([name]) => !Object.hasOwn(ownIndexes, name));
      return describeClass(
        { ...schema, fields: Object.fromEntries(fields), indexes: Object.fromEntries(indexes) },
        { listsOpenAcl: false },
      );
    },
    async isListed(schema) {
      if (!rules.has(schema.className) || ALWAYS_LISTED.has(schema.className)) return true;
      return !isAsCreated(schema) || hasObjects(schema);
    },
  };
}
