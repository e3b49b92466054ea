import type { Condition, SubQuery } from "@purse/protocol";
import type { StoreQuery } from "../store/store.ts";

type RelatedTo = Extract<Condition, { kind: "relatedTo" }>;

/** What the questions inside a where come to for a caller. */
export interface SubQueryRights {
  /** Undefined where the caller may not ask: then nothing is found. Throws for hidden fields. */
  find(query: SubQuery, key: string | undefined): StoreQuery | undefined;
  /** The owner of a relation, as far as the caller may see it; undefined where that need not be asked. */
  owner(condition: RelatedTo): StoreQuery | undefined;
}

/** Prepares every question inside a where, at any depth of and, or and nor; undefined where there is none. */
export function prepareSubqueries(where: Condition, rights: SubQueryRights): StoreQuery["subqueries"] {
  const prepared = new Map<SubQuery | Condition, StoreQuery>();
  collect(where, rights, prepared);
  return prepared.size === 0 ? undefined : prepared;
}

function collect(
  where: Condition,
  rights: SubQueryRights,
  into: Map<SubQuery | Condition, StoreQuery>,
): void {
  if ("conditions" in where) {
    for (const condition of where.conditions) collect(condition, rights, into);
  } else if (where.kind === "relatedTo") {
    const owner = rights.owner(where);
    if (owner) into.set(where, owner);
  } else if (where.kind === "inQuery" || where.kind === "select") {
    const found = rights.find(where.query, where.kind === "select" ? where.key[0] : undefined);
    if (found) into.set(where.query, found);
  }
}

/** The fields on which a where asks for a text search, which need an index. */
export function searchedFields(where: Condition): string[] {
  if ("conditions" in where) return where.conditions.flatMap(searchedFields);
  return where.kind === "text" ? [where.path[0]] : [];
}
