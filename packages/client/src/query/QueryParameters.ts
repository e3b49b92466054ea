import { isJsonObject, type JsonObject, type WirePointer } from "@purse/protocol";
import type { AnyObject } from "../object/AnyObject.ts";
import { encode } from "../object/encode.ts";
import { Constraints } from "./Constraints.ts";

/** Fields of T's class, also with a path into them or several in one text: "author.name", "a,b". */
export type QueryKey<T extends AnyObject> =
  | (keyof T["attributes"] & string)
  | "objectId"
  | "createdAt"
  | "updatedAt"
  | "ACL"
  | `${string}.${string}`
  | `${string},${string}`;

/** Fields or lists of them; text may also name several, "a,b". */
export type Keys<T extends AnyObject> = (QueryKey<T> | readonly QueryKey<T>[])[];

type ReadPreference = "PRIMARY" | "PRIMARY_PREFERRED" | "SECONDARY" | "SECONDARY_PREFERRED" | "NEAREST";

/** What a query asks for beside its conditions, and how all of it travels. */
export class QueryParameters<T extends AnyObject> extends Constraints<QueryKey<T>, T["attributes"]> {
  /** None where it is negative. */
  limit(count: number): this {
    assertType(count, "number", "the limit to a numeric");
    return this._with("limit", count >= 0 ? count : undefined);
  }

  skip(count: number): this {
    if (typeof count !== "number" || !(count >= 0)) throw new Error("You can only skip by a positive number");
    return this._with("skip", count || undefined);
  }

  /** Makes `find` answer `{results, count}`; `findWithCount` does so with its type. */
  withCount(include = true): this {
    assertType(include, "boolean", "withCount to a boolean");
    return this._with("count", include ? 1 : undefined);
  }

  /** Replaces pointers by their objects: "author", "author.company". */
  include(...keys: Keys<T>): this {
    return this._add("include", keys);
  }

  includeAll(): this {
    return this._add("include", ["*"]);
  }

  /** Answers only these fields. */
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

  /** A note that stands beside the query in the database's log; none for null. */
  comment(comment: string | null): this {
    assertType(comment ?? "", "string", "the comment to a text");
    return this._with("comment", comment || undefined);
  }

  /** Of a live query: tells of updates only where one of these fields changed. */
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

  /** Takes the parameters over from JSON as `toJSON` writes it. */
  withJSON({ where, className: _, ...parameters }: JsonObject): this {
    if (isJsonObject(where)) this._where = where;
    this._parameters = { ...this._parameters, ...parameters };
    return this;
  }
}

function assertType(value: unknown, type: string, rule: string): void {
  if (typeof value !== type) throw new Error(`You can only set ${rule} value`);
}
