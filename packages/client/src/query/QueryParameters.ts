import { isJsonObject, type JsonObject, type WirePointer } from "@purse/protocol";
import type { AnyObject } from "../object/AnyObject.ts";
import { encode } from "../object/encode.ts";
import { Constraints } from "./Constraints.ts";

/** Fields of T, also as dotted paths or comma-separated: "author.name", "a,b". */
export type QueryKey<T extends AnyObject> =
  | (keyof T["attributes"] & string)
  | "objectId"
  | "createdAt"
  | "updatedAt"
  | "ACL"
  | `${string}.${string}`
  | `${string},${string}`;

/** Fields or lists of fields; a string may contain several, "a,b". */
export type Keys<T extends AnyObject> = (QueryKey<T> | readonly QueryKey<T>[])[];

type ReadPreference = "PRIMARY" | "PRIMARY_PREFERRED" | "SECONDARY" | "SECONDARY_PREFERRED" | "NEAREST";

/** The parameters of a query beside its constraints, and its serialization. */
export class QueryParameters<T extends AnyObject> extends Constraints<QueryKey<T>, T["attributes"]> {
  /** A negative limit means no limit. */
  limit(count: number): this {
    assertType(count, "number", "the limit to a numeric");
    return this._with("limit", count >= 0 ? count : undefined);
  }

  skip(count: number): this {
    if (typeof count !== "number" || !(count >= 0)) throw new Error("You can only skip by a positive number");
    return this._with("skip", count || undefined);
  }

  /** Makes `find` return `{results, count}`; `findWithCount` does so with the right type. */
  withCount(include = true): this {
    assertType(include, "boolean", "withCount to a boolean");
    return this._with("count", include ? 1 : undefined);
  }

  /** Expands pointers: "author", "author.company". */
  include(...keys: Keys<T>): this {
    return this._add("include", keys);
  }

  includeAll(): this {
    return this._add("include", ["*"]);
  }

  /** Returns only these fields. */
  select(...keys: Keys<T>): this {
    return this._add("keys", keys);
  }

  exclude(...keys: Keys<T>): this {
    return this._add("excludeKeys", keys);
  }

  readPreference(preference: ReadPreference, include?: ReadPreference, subquery?: ReadPreference): this {
    this._with("readPreference", preference);
    if (include) this._with("includeReadPreference", include);
    return subquery ? this._with("subqueryReadPreference", subquery) : this;
  }

  hint(index: string | object): this {
    return this._with("hint", encode(index));
  }

  /** A comment for the query in the database's log; null removes it. */
  comment(comment: string | null): this {
    assertType(comment ?? "", "string", "the comment to a text");
    return this._with("comment", comment || undefined);
  }

  /** Live queries: sends updates only if one of these fields changed. */
  watch(...keys: Keys<T>): this {
    return this._add("watch", keys);
  }

  explain(explain = true): this {
    assertType(explain, "boolean", "explain to a boolean");
    return this._with("explain", explain);
  }

  _relatedTo(parent: { toPointer(): WirePointer }, key: string): this {
    this._where.$relatedTo = { object: parent.toPointer(), key };
    return this;
  }

  _redirectClassNameForKey(key: string): this {
    return this._with("redirectClassNameForKey", key);
  }

  toJSON(): JsonObject {
    return { where: this._where, ...this._parameters };
  }

  /** Merges the parameters of JSON from `toJSON`. */
  withJSON({ where, className: _, ...parameters }: JsonObject): this {
    if (isJsonObject(where)) this._where = where;
    this._parameters = { ...this._parameters, ...parameters };
    return this;
  }
}

function assertType(value: unknown, type: string, rule: string): void {
  if (typeof value !== type) throw new Error(`You can only set ${rule} value`);
}
