import {
  type Condition,
  ErrorCode,
  type FieldCondition,
  type Order,
  ProtocolError,
  type SubQuery,
} from "@purse/protocol";
import type { ClassSchema } from "../schema/classSchema.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { StoreQuery } from "../store/store.ts";
import { idsCondition } from "./include.ts";
import { NOTHING } from "./permissions.ts";
import type { ReadAccess, ReadScope } from "./readAccess.ts";

type Related = Extract<Condition, { kind: "relatedTo" }>;
type Prepared = Map<SubQuery | Condition, StoreQuery>;

/** Makes the store's query of a question about what a scope lets be read. */
export type PrepareQuery = (scope: ReadScope, where: Condition) => StoreQuery;

/**
 * Answers how queries are prepared: narrowed to their scope, every class that the where leads to, at any depth,
 * authorized like one that is asked directly.
 */
export function createPrepareQuery(access: ReadAccess, schemas: Schemas): PrepareQuery {
  return prepare;

  function prepare(scope: ReadScope, where: Condition): StoreQuery {
    const { schema, condition, principals } = scope;
    const subqueries = collect(where, scope, undefined);
    return {
      schema,
      where: condition ? { kind: "and", conditions: [where, condition] } : where,
      order: [],
      limit: undefined,
      skip: 0,
      principals,
      ...(subqueries && { subqueries }),
    };
  }

  function collect(where: Condition, scope: ReadScope, into: Prepared | undefined): Prepared | undefined {
    let prepared = into;
    switch (where.kind) {
      case "and":
      case "or":
      case "nor":
        for (const condition of where.conditions) prepared = collect(condition, scope, prepared);
        return prepared;
      case "relatedTo": {
        const owner = ownerOf(where, scope);
        return owner ? (prepared ?? new Map()).set(where, owner) : prepared;
      }
      case "inQuery":
      case "select": {
        const found = inner(where, scope);
        return found ? (prepared ?? new Map()).set(where.query, found) : prepared;
      }
      case "text":
        assertTextIndex(scope.schema, where.path[0]);
        return prepared;
      default:
        return prepared;
    }
  }

  /** A question within a question; undefined where nothing is to be found. */
  function inner(
    condition: FieldCondition & { kind: "inQuery" | "select" },
    { request }: ReadScope,
  ): StoreQuery | undefined {
    const { query } = condition;
    const { where, order, limit, skip } = query;
    const key = query.redirectClassNameForKey;
    const selected: Order[] =
      condition.kind === "select" ? [{ path: [condition.key[0]], descending: false }] : [];
    const asked = { where, order: [...order, ...selected] };
    const target = key === undefined ? undefined : schemas.get(query.className)?.fields[key]?.targetClass;
    if (target !== undefined && key !== undefined) {
      const redirecting: Order = { path: [key], descending: false };
      const source = access.authorizeInnerRead(request, query.className, "find", {
        where,
        order: [...asked.order, redirecting],
      });
      if (!source) return undefined;
    }
    const scope = access.authorizeInnerRead(request, target ?? query.className, "find", asked);
    return scope && { ...prepare(scope, where), order, limit, skip };
  }

  /** The owner of a relation, which must be readable; undefined where that need not be asked. */
  function ownerOf(
    { object, key }: Related,
    { request, schema, principals }: ReadScope,
  ): StoreQuery | undefined {
    if (principals === null) return undefined;
    const asked: Order = { path: [key], descending: false };
    const owner = idsCondition([object.objectId]);
    const scope = access.authorizeInnerRead(request, object.className, "get", {
      where: owner,
      order: [asked],
    });
    if (scope) return prepare(scope, owner);
    return { schema, where: NOTHING, order: [], limit: undefined, skip: 0, principals };
  }
}

/** Throws 102 where a text is searched that has no index: queries make none. */
function assertTextIndex(schema: ClassSchema, field: string): void {
  if (isTextIndexed(schema, field)) return;
  throw new ProtocolError(
    ErrorCode.INVALID_QUERY,
    `text index required for $text query: the field ${field} of class ${schema.className} has none`,
  );
}

export function isTextIndexed(schema: ClassSchema, field: string): boolean {
  return Object.values(schema.indexes).some((keys) => keys[field] === "text");
}

/** The fields on which a where searches texts, but for those in questions within it. */
export function searchedFields(where: Condition): string[] {
  if ("conditions" in where) return where.conditions.flatMap(searchedFields);
  return where.kind === "text" ? [where.path[0]] : [];
}
