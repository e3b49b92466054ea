import { type Condition, inOrderOfCost, type Order, type Place } from "@purse/protocol";
import type { ClassSchema } from "../../schema/classSchema.ts";
import type { StoreQuery } from "../store.ts";
import { columnOf } from "./columns.ts";
import type { Compiled, WhereContext } from "./compiled.ts";
import type { Dialect } from "./dialect.ts";
import { compileField } from "./fieldCondition.ts";
import { distanceParameters, distanceSql } from "./geo.ts";
import { joined } from "./joined.ts";

export function compileWhere(where: Condition, context: WhereContext): Compiled {
  switch (where.kind) {
    case "and":
    case "or":
    case "nor":
      return compileBranches(where.kind, where.conditions, context);
    case "relatedTo": {
      const { parameters, subqueries, select } = context;
      parameters.push(where.object.className, where.object.objectId, where.key);
      const { relationCheckpoint } = context.dialect;
      const members = `id IN (SELECT related_id FROM purse_relations WHERE ${relationCheckpoint}class_name = ? AND owner_id = ? AND key = ?)`;
      const owner = subqueries?.get(where);
      if (!owner) return { shape: "related", sql: () => members };
      // Whoever may not see the owner does not learn what relates to it.
      const readable = select(owner, "id");
      return {
        shape: `related of ${readable.shape}`,
        sql: () => `(${members} AND EXISTS (${readable.sql()}))`,
      };
    }
    default:
      return compileField(where, context);
  }
}

function compileBranches(
  kind: "and" | "or" | "nor",
  conditions: Condition[],
  context: WhereContext,
): Compiled {
  // SQLite tests them in the order of the text.
  const parts = inOrderOfCost(conditions).map((condition) => compileWhere(condition, context));
  const shape = `${kind}(${parts.map((part) => part.shape).join()})`;
  return {
    shape,
    sql() {
      if (parts.length === 0) return kind === "or" ? "FALSE" : "TRUE";
      const texts = parts.map((part) => part.sql());
      if (kind === "nor") return `${joined(texts, " OR ")} IS NOT TRUE`;
      return joined(texts, kind === "and" ? " AND " : " OR ");
    },
  };
}

/**
 * The order of a query. Ties are broken by the order of insertion, in the direction of the last key, so
 * that an index serves both. Where nothing is said and the where asks what is near, or in a circle, nearest first:
 * a circle's index in MongoDB answers so, and clients have come to count on it.
 */
export function compileOrder(query: StoreQuery, { schema, dialect, parameters }: WhereContext): Compiled {
  const near = query.order.length === 0 ? nearIn(query.where) : undefined;
  if (near) {
    parameters.push(...distanceParameters(near.place));
    return { shape: `near ${near.path.join(".")}`, sql: () => `${distanceSql(near.path, dialect)}, seq` };
  }
  const search = query.order.some((part) => part.score) ? textIn(query.where) : undefined;
  if (search) parameters.push(dialect.textQuery(search.search));
  const last = query.order.at(-1);
  return {
    shape: query.order.map((part) => `${part.descending ? "-" : ""}${part.path.join(".")}`).join(),
    sql() {
      const parts = query.order.flatMap((part) => {
        if (part.score) {
          return search ? [`${dialect.textScore(schema, search.path[0], search.search)} DESC`] : [];
        }
        return keysOf(part, schema, dialect).map((key) => `${key}${dialect.direction(part.descending)}`);
      });
      const tie = last?.descending && !last.score ? "seq DESC" : "seq";
      return [...parts, tie].join(", ");
    },
  };
}

function keysOf({ path }: Order, schema: ClassSchema, dialect: Dialect): string[] {
  const column = columnOf(path);
  if (column) return [column];
  return dialect.orderKeys(path, path.length === 1 ? schema.fields[path[0]]?.type : undefined);
}

/** The place that every match has to be near, or in a circle around, if there is one. */
function nearIn(where: Condition): { path: readonly string[]; place: Place } | undefined {
  return required(where, (condition) => {
    if (condition.kind === "near") return condition;
    if (condition.kind !== "geoWithin" || condition.area.type !== "sphere") return undefined;
    return { path: condition.path, place: condition.area.center };
  });
}

/** The text search that every match has to fulfil, if there is one. */
export function textIn(where: Condition): Extract<Condition, { kind: "text" }> | undefined {
  return required(where, (condition) => (condition.kind === "text" ? condition : undefined));
}

function required<T>(where: Condition, pick: (condition: Condition) => T | undefined): T | undefined {
  if (where.kind !== "and") return pick(where);
  for (const condition of where.conditions) {
    const found = required(condition, pick);
    if (found !== undefined) return found;
  }
  return undefined;
}
