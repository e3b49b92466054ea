import type { WirePointer } from "@purse/protocol";
import { ClassQuery } from "../query/ClassQuery.ts";
import type { AnyObject } from "./AnyObject.ts";
import { RelationOp } from "./Op.ts";

/** The object that has a relation. */
export interface RelationParent {
  readonly className: string;
  readonly id: string | undefined;
  save(): Promise<unknown>;
  toPointer(): WirePointer;
  readonly _state: { setOperation(key: string, op: RelationOp): void };
}

/** A many-to-many relation: the set of objects that a field of `parent` refers to. */
export class Relation<T extends AnyObject = AnyObject> {
  declare parent: RelationParent | undefined;
  declare key: string | undefined;
  declare targetClassName: string | undefined;

  constructor(parent?: RelationParent, key?: string, targetClassName?: string) {
    this.parent = parent;
    this.key = key;
    this.targetClassName = targetClassName;
  }

  /** Binds the relation to an object and field; throws if it is bound to another one. */
  ensureParentAndKey(parent: RelationParent, key: string): void {
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

  add(objects: T | readonly T[]): RelationParent {
    return this.#change(toList(objects), []);
  }

  remove(objects: T | readonly T[]): void {
    this.#change([], toList(objects));
  }

  #change(added: readonly T[], removed: readonly T[]): RelationParent {
    const { parent, key } = this.#owner();
    if (added.length + removed.length === 0) return parent;
    const op = new RelationOp(added, removed);
    parent._state.setOperation(key, op);
    this.targetClassName ??= op.targetClassName;
    return parent;
  }

  /** A query for the objects of the relation. */
  query(): ClassQuery<T> {
    const { parent, key } = this.#owner();
    const query = new ClassQuery<T>(this.targetClassName ?? parent.className);
    if (!this.targetClassName) query._redirectClassNameForKey(key);
    return query._relatedTo(parent, key);
  }

  #owner(): { parent: RelationParent; key: string } {
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
