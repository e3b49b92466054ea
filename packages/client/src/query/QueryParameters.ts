import { isJsonObject, type JsonObject, type WirePointer } from "@purse/protocol";
import type { AnyObject } from "../object/AnyObject.ts";
import { encode } from "../object/encode.ts";
import { Constraints, names } from "./Constraints.ts";

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
  protected _included: string[] = [];
  protected _excluded: string[] = [];
  protected _limitTo = -1;
  protected _skipFirst = 0;
  protected _counts = false;
  /** Further parameters as they travel: hint, explain, read preferences. */
  protected _extra: JsonObject = {};

  limit(count: number): this {
    if (typeof count !== "number") throw new Error("You can only set the limit to a numeric value");
    this._limitTo = count;
    return this;
  }

  skip(count: number): this {
    if (typeof count !== "number" || !(count >= 0)) throw new Error("You can only skip by a positive number");
    this._skipFirst = count;
    return this;
  }

  /** Makes `find` answer `{results, count}`; `findWithCount` does so with its type. */
  withCount(include = true): this {
    if (typeof include !== "boolean") throw new Error("You can only set withCount to a boolean value");
    this._counts = include;
    return this;
  }

  /** Replaces pointers by their objects: "author", "author.company". */
  include(...keys: Keys<T>): this {
    this._included.push(...names(keys));
    return this;
  }

  includeAll(): this {
    this._included.push("*");
    return this;
  }

  /** Answers only these fields. */
  select(...keys: Keys<T>): this {
    this._keys = [...(this._keys ?? []), ...names(keys)];
    return this;
  }

  exclude(...keys: Keys<T>): this {
    this._excluded.push(...names(keys));
    return this;
  }

  readPreference(preference: ReadPreference, include?: ReadPreference, subquery?: ReadPreference): this {
    this._extra.readPreference = preference;
    if (include) this._extra.includeReadPreference = include;
    if (subquery) this._extra.subqueryReadPreference = subquery;
    return this;
  }

  hint(index: string | object): this {
    this._extra.hint = encode(index);
    return this;
  }

  /** A note that stands beside the query in the database's log; none for null. */
  comment(comment: string | null): this {
    if (comment !== null && comment !== undefined && typeof comment !== "string") {
      throw new Error("The value of a comment to be sent with this query must be a string.");
    }
    const { comment: _, ...extra } = this._extra;
    this._extra = comment ? { ...extra, comment } : extra;
    return this;
  }

  /** Of a live query: tells of updates only where one of these fields changed. */
  watch(...keys: Keys<T>): this {
    const known = typeof this._extra.watch === "string" ? this._extra.watch.split(",") : [];
    this._extra.watch = [...known, ...names(keys)].join(",");
    return this;
  }

  explain(explain = true): this {
    if (typeof explain !== "boolean") throw new Error("You can only set explain to a boolean value");
    this._extra.explain = explain;
    return this;
  }

  _relatedTo(parent: { toPointer(): WirePointer }, key: string): this {
    this._where.$relatedTo = { object: parent.toPointer(), key };
    return this;
  }

  _redirectClassNameForKey(key: string): this {
    this._extra.redirectClassNameForKey = key;
    return this;
  }

  toJSON(): JsonObject {
    const json: JsonObject = { where: this._where };
    if (this._included.length > 0) json.include = this._included.join(",");
    if (this._excluded.length > 0) json.excludeKeys = this._excluded.join(",");
    if (this._keys) json.keys = this._keys.join(",");
    if (this._counts) json.count = 1;
    if (this._limitTo >= 0) json.limit = this._limitTo;
    if (this._skipFirst > 0) json.skip = this._skipFirst;
    if (this._order.length > 0) json.order = this._order.join(",");
    return { ...json, ...this._extra };
  }

  /** Takes the parameters over from JSON as `toJSON` writes it. */
  withJSON(json: JsonObject): this {
    const { where, include, excludeKeys, keys, count, limit, skip, order, className: _, ...extra } = json;
    if (isJsonObject(where)) this._where = where;
    if (typeof include === "string") this._included = include.split(",");
    if (typeof excludeKeys === "string") this._excluded = excludeKeys.split(",");
    if (typeof keys === "string") this._keys = keys.split(",");
    if (count) this._counts = count === 1;
    if (typeof limit === "number") this._limitTo = limit;
    if (typeof skip === "number") this._skipFirst = skip;
    if (typeof order === "string") this._order = order.split(",");
    this._extra = { ...this._extra, ...extra };
    return this;
  }
}
