import { type Condition, type Coordinates, sortByCost } from "@purse/protocol";
import type { StoreQuery } from "../store.ts";
import { orderKeysOf } from "./columns.ts";
import { compileField } from "./fieldCondition.ts";
import { distanceParameters, distanceSql } from "./geo.ts";
import { joinBalanced } from "./joinBalanced.ts";
import type { SqlFragment, WhereContext } from "./sqlFragment.ts";

export function compileWhere(where: Condition, context: WhereContext): SqlFragment {
  switch (where.kind) {
    case "and":
    case "or":
    case "nor":
      return compileBranches(where.kind, where.conditions, context);
    case "relatedTo": {
      const { parameters, subqueries, select } = context;
      parameters.push(where.object.className, where.object.objectId, where.key);
      const { relationInterruptCheck } = context.dialect;
      const members = `id IN (SELECT related_id FROM purse_relations WHERE ${relationInterruptCheck}class_name = ? AND owner_id = ? AND key = ?)`;
      const owner = subqueries?.get(where);
      if (!owner) return { shape: "related", sql: () => members };
      // Clients that may not read the owner must not see its relation either.
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
): SqlFragment {
  // SQLite evaluates conditions in the order of the SQL.
  const fragments = sortByCost(conditions).map((condition) => compileWhere(condition, context));
  const shape = `${kind}(${fragments.map((fragment) => fragment.shape).join()})`;
  return {
    shape,
    sql() {
      if (fragments.length === 0) return kind === "or" ? "FALSE" : "TRUE";
      const texts = fragments.map((fragment) => fragment.sql());
      if (kind === "nor") return `${joinBalanced(texts, " OR ")} IS NOT TRUE`;
      return joinBalanced(texts, kind === "and" ? " AND " : " OR ");
    },
  };
}

/**
 * Compiles the order of a query. Ties are broken by order of insertion, in the direction of the last key, so that an
 * index covers both. Without an explicit order, distance conditions sort by ascending distance: MongoDB's index for
 * circles does so, and clients rely on it.
 */
export function compileOrder(query: StoreQuery, { schema, dialect, parameters }: WhereContext): SqlFragment {
  const near = query.order.length === 0 ? findNear(query.where) : undefined;
  if (near) {
    parameters.push(...distanceParameters(near.point));
    return { shape: `near ${near.path.join(".")}`, sql: () => `${distanceSql(near.path, dialect)}, seq` };
  }
  const search = query.order.some((fragment) => fragment.score) ? findTextSearch(query.where) : undefined;
  if (search) parameters.push(dialect.textQuery(search.search));
  const last = query.order.at(-1);
  return {
    shape: query.order
      .map((fragment) => `${fragment.descending ? "-" : ""}${fragment.path.join(".")}`)
      .join(),
    sql() {
      const fragments = query.order.flatMap((fragment) => {
        if (fragment.score) {
          return search ? [`${dialect.textScore(schema, search.path[0], search.search)} DESC`] : [];
        }
        return orderKeysOf(fragment.path, schema, dialect).map(
          (key) => `${key}${dialect.direction(fragment.descending)}`,
        );
      });
      const tie = last?.descending && !last.score ? "seq DESC" : "seq";
      return [...fragments, tie].join(", ");
    },
  };
}

/** Returns the point that all matches must be near to, or in a circle around, if there is one. */
function findNear(where: Condition): { path: readonly string[]; point: Coordinates } | undefined {
  return findRequired(where, (condition) => {
    if (condition.kind === "near") return condition;
    if (condition.kind !== "geoWithin" || condition.area.type !== "sphere") return undefined;
    return { path: condition.path, point: condition.area.center };
  });
}

/** Returns the text search that all matches must satisfy, if there is one. */
export function findTextSearch(where: Condition): Extract<Condition, { kind: "text" }> | undefined {
  return findRequired(where, (condition) => (condition.kind === "text" ? condition : undefined));
}

function findRequired<T>(where: Condition, pick: (condition: Condition) => T | undefined): T | undefined {
  if (where.kind !== "and") return pick(where);
  for (const condition of where.conditions) {
    const found = findRequired(condition, pick);
    if (found !== undefined) return found;
  }
  return undefined;
}
