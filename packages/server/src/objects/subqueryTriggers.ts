import { type Condition, isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { ReadAccess } from "./readAccess.ts";
import type { Triggers } from "./triggers.ts";

/** Runs the beforeFind triggers of the classes of sub-queries. */
export interface SubqueryTriggers {
  /** Whether a where has a sub-query of a class with such a trigger. */
  applyTo(where: Condition): boolean;
  /** Returns the where, in wire form, with every sub-query as the trigger of its class has changed it. */
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
  return { applyTo, run };

  function applyTo(where: Condition): boolean {
    if ("conditions" in where) return where.conditions.some(applyTo);
    if (where.kind !== "inQuery" && where.kind !== "select") return false;
    const { className, redirectClassNameForKey, where: inner } = where.query;
    return triggers.beforeFind(targetOf(className, redirectClassNameForKey)) !== undefined || applyTo(inner);
  }

  /** The class that a sub-query reads: the target of `redirectClassNameForKey` if there is one. */
  function targetOf(className: string, key: string | undefined): string {
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
      return [key, isJsonObject(value) ? await ofField(value, request) : value];
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  async function ofField(constraint: JsonObject, request: RequestContext): Promise<JsonObject> {
    const entries = Object.entries(constraint).map(
      async ([operator, argument]): Promise<[string, JsonValue]> => {
        if (!isJsonObject(argument)) return [operator, argument];
        if (operator === "$inQuery" || operator === "$notInQuery") {
          return [operator, await triggered(argument, request)];
        }
        if ((operator === "$select" || operator === "$dontSelect") && isJsonObject(argument.query)) {
          return [operator, { ...argument, query: await triggered(argument.query, request) }];
        }
        return [operator, argument];
      },
    );
    return Object.fromEntries(await Promise.all(entries));
  }

  async function triggered(query: JsonObject, request: RequestContext): Promise<JsonObject> {
    const { className = "", redirectClassNameForKey: key, ...params } = query;
    const named: JsonObject = { className };
    if (typeof key === "string") named.redirectClassNameForKey = key;
    const target = targetOf(String(className), typeof key === "string" ? key : undefined);
    // Like for a direct find, no trigger runs for a class that the caller may not read at all.
    access.assertReadable(request, target, "find");
    const beforeFind = triggers.beforeFind(target);
    const { params: changed, objects } = beforeFind
      ? await beforeFind(params, request, false)
      : { params, objects: undefined };
    if (objects) {
      const ids = objects.flatMap(({ objectId }) => (typeof objectId === "string" ? [objectId] : []));
      return { ...named, where: { objectId: { $in: ids } } };
    }
    const { where } = changed;
    if (!isJsonObject(where)) return { ...changed, ...named };
    return { ...changed, ...named, where: await run(where, request) };
  }
}
