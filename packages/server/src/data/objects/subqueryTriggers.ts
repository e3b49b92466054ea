import { type Condition, isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { ReadAccess } from "./readAccess.ts";
import type { Triggers } from "./triggers.ts";

/** Runs the beforeFind triggers of the classes of sub-queries. */
export interface SubqueryTriggers {
  /** Whether a where contains a sub-query of a class with a beforeFind trigger. */
  areNeededFor(where: Condition): boolean;
  /** Returns the where, in wire format, with every sub-query as changed by the trigger of its class. */
  run(where: JsonObject, request: RequestContext): Promise<JsonObject>;
}

export function createSubqueryTriggers({
  triggers,
  schemas,
  access,
}: {
  triggers: Triggers;
  schemas: Schemas;
  access: ReadAccess;
}): SubqueryTriggers {
  return { areNeededFor, run };

  function areNeededFor(where: Condition): boolean {
    if ("conditions" in where) return where.conditions.some(areNeededFor);
    if (where.kind !== "inQuery" && where.kind !== "select") return false;
    const { className, redirectClassNameForKey, where: inner } = where.query;
    return (
      triggers.beforeFind(targetClassOf(className, redirectClassNameForKey)) !== undefined ||
      areNeededFor(inner)
    );
  }

  /** Returns the class that a sub-query reads: the target of `redirectClassNameForKey` if given. */
  function targetClassOf(className: string, key: string | undefined): string {
    const target = key === undefined ? undefined : schemas.get(className)?.fields[key]?.targetClass;
    return target ?? className;
  }

  async function run(where: JsonObject, request: RequestContext): Promise<JsonObject> {
    const entries = Object.entries(where).map(async ([key, value]): Promise<[string, JsonValue]> => {
      if (key.startsWith("$")) {
        if (!Array.isArray(value)) return [key, value];
        const branches = value.map((branch) => (isJsonObject(branch) ? run(branch, request) : branch));
        return [key, await Promise.all(branches)];
      }
      return [key, isJsonObject(value) ? await runOnConstraint(value, request) : value];
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  async function runOnConstraint(constraint: JsonObject, request: RequestContext): Promise<JsonObject> {
    const entries = Object.entries(constraint).map(
      async ([operator, argument]): Promise<[string, JsonValue]> => {
        if (!isJsonObject(argument)) return [operator, argument];
        if (operator === "$inQuery" || operator === "$notInQuery") {
          return [operator, await runBeforeFind(argument, request)];
        }
        if ((operator === "$select" || operator === "$dontSelect") && isJsonObject(argument.query)) {
          return [operator, { ...argument, query: await runBeforeFind(argument.query, request) }];
        }
        return [operator, argument];
      },
    );
    return Object.fromEntries(await Promise.all(entries));
  }

  async function runBeforeFind(query: JsonObject, request: RequestContext): Promise<JsonObject> {
    const { className = "", redirectClassNameForKey: key, ...params } = query;
    const classParams: JsonObject = { className };
    if (typeof key === "string") classParams.redirectClassNameForKey = key;
    const target = targetClassOf(String(className), typeof key === "string" ? key : undefined);
    // As for a direct find, no trigger runs for a class that the client may not read at all.
    access.assertReadable(request, target, "find");
    const beforeFind = triggers.beforeFind(target);
    const { params: changed, objects } = beforeFind
      ? await beforeFind(params, request, false)
      : { params, objects: undefined };
    if (objects) {
      const ids = objects.flatMap(({ objectId }) => (typeof objectId === "string" ? [objectId] : []));
      return { ...classParams, where: { objectId: { $in: ids } } };
    }
    const { where } = changed;
    if (!isJsonObject(where)) return { ...changed, ...classParams };
    return { ...changed, ...classParams, where: await run(where, request) };
  }
}
