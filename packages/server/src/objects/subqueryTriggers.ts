import { type Condition, isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { RequestContext } from "../caller.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { Triggers } from "./triggers.ts";

/** What runs before the questions within a question: the beforeFind triggers of the classes that they ask. */
export interface SubqueryTriggers {
  /** Whether a where asks a class that has such a trigger. */
  concern(where: Condition): boolean;
  /** The where, as it travels, with every question within it as the trigger of its class has made it. */
  apply(where: JsonObject, request: RequestContext): Promise<JsonObject>;
}

export function createSubqueryTriggers(triggers: Triggers, schemas: Schemas): SubqueryTriggers {
  return { concern, apply };

  function concern(where: Condition): boolean {
    if ("conditions" in where) return where.conditions.some(concern);
    if (where.kind !== "inQuery" && where.kind !== "select") return false;
    const { className, redirectClassNameForKey, where: inner } = where.query;
    return (
      triggers.beforeFind(askedClass(className, redirectClassNameForKey)) !== undefined || concern(inner)
    );
  }

  /** The class that a question is asked of: the one that its key points to, where it has one. */
  function askedClass(className: string, key: string | undefined): string {
    const target = key === undefined ? undefined : schemas.get(className)?.fields[key]?.targetClass;
    return target ?? className;
  }

  async function apply(where: JsonObject, request: RequestContext): Promise<JsonObject> {
    const entries = Object.entries(where).map(async ([key, value]): Promise<[string, JsonValue]> => {
      if (key.startsWith("$")) {
        if (!Array.isArray(value)) return [key, value];
        const branches = value.map((branch) => (isJsonObject(branch) ? apply(branch, request) : branch));
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
    const { className = "", redirectClassNameForKey: key, ...asked } = query;
    const named: JsonObject = { className };
    if (typeof key === "string") named.redirectClassNameForKey = key;
    const beforeFind = triggers.beforeFind(
      askedClass(String(className), typeof key === "string" ? key : undefined),
    );
    const { params, objects } = beforeFind
      ? await beforeFind(asked, request, false)
      : { params: asked, objects: undefined };
    if (objects) {
      const ids = objects.flatMap(({ objectId }) => (typeof objectId === "string" ? [objectId] : []));
      return { ...named, where: { objectId: { $in: ids } } };
    }
    const { where } = params;
    if (!isJsonObject(where)) return { ...params, ...named };
    return { ...params, ...named, where: await apply(where, request) };
  }
}
