import { Query } from "../query/Query.ts";
import { RelationOp } from "./Op.ts";
import type { ParseObject } from "./ParseObject.ts";

/** The set of objects that a field of `parent` relates it to. */
export class Relation<T extends ParseObject<object> = ParseObject> {
  parent: ParseObject<object> | undefined;
  key: string | undefined;
  targetClassName: string | undefined;

  constructor(parent?: ParseObject<object>, key?: string, targetClassName?: string) {
    this.parent = parent;
    this.key = key;
    this.targetClassName = targetClassName;
  }

  /** Gives the relation its place; throws when it already has another one. */
  ensureParentAndKey(parent: ParseObject<object>, key: string): void {
    if ((this.key ?? key) !== key)
      throw new Error("Internal Error. Relation retrieved from two different keys.");
    if (
      this.parent &&
      (this.parent.className !== parent.className || (this.parent.id ?? parent.id) !== parent.id)
    ) {
      throw new Error("Internal Error. Relation retrieved from two different Objects.");
    }
    this.parent ??= parent;
    this.key ??= key;
  }

  add(objects: T | readonly T[]): ParseObject<object> {
    return this.#change(toList(objects), []);
  }

  remove(objects: T | readonly T[]): void {
    this.#change([], toList(objects));
  }

  #change(added: readonly T[], removed: readonly T[]): ParseObject<object> {
    const { parent, key } = this.#place();
    if (added.length + removed.length === 0) return parent;
    const op = new RelationOp(added, removed);
    parent._setOperation(key, op);
    this.targetClassName ??= op.targetClassName;
    return parent;
  }

  /** Asks for the objects of the relation. */
  query(): Query<T> {
    const { parent, key } = this.#place();
    const query = new Query<T>(this.targetClassName ?? parent.className);
    if (!this.targetClassName) query._redirectClassNameForKey(key);
    return query._relatedTo(parent, key);
  }

  #place(): { parent: ParseObject<object>; key: string } {
    if (this.parent && this.key) return { parent: this.parent, key: this.key };
    throw new Error("Cannot use a Relation without a parent");
  }

  toJSON(): { __type: "Relation"; className: string | null } {
    return { __type: "Relation", className: this.targetClassName ?? null };
  }
}

function toList<T extends object>(value: T | readonly T[]): readonly T[] {
  return isList(value) ? value : [value];
}

function isList<T extends object>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
