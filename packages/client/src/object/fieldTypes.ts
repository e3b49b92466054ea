import type { ACL } from "./ACL.ts";

/** Untyped fields. */
export type Attributes = Record<string, unknown>;

/** Fields that every object has. */
export interface BaseAttributes {
  objectId: string;
  createdAt: Date;
  updatedAt: Date;
  ACL: ACL;
}

export type Fields<A extends object> = A & BaseAttributes;
/** The name of a field of a class with the fields `A`. */
export type FieldName<A extends object> = keyof Fields<A> & string;
/** The item type of a list field. */
export type Item<V> = V extends readonly (infer I)[] ? I : unknown;

/** How fields are set; `error` is called if they are invalid. */
export interface SetOptions {
  unset?: boolean;
  ignoreValidation?: boolean;
  error?: (object: unknown, error: Error) => void;
}
