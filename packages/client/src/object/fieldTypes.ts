import type { ACL } from "./ACL.ts";

/** Fields of a class that says nothing of them. */
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
/** What a list field holds. */
export type Item<V> = V extends readonly (infer I)[] ? I : unknown;

/** How fields are set: `error` is told what is wrong with them, where they are not. */
export interface SetOptions {
  unset?: boolean;
  ignoreValidation?: boolean;
  error?: (object: unknown, error: Error) => void;
}
