import type { ACL } from "./ACL.ts";

export type Attributes = Record<string, unknown>;

/** Fields that every object has. */
export interface BaseAttributes {
  objectId: string;
  createdAt: Date;
  updatedAt: Date;
  ACL: ACL;
}

export type Fields<A extends object> = A & BaseAttributes;
export type FieldName<A extends object> = keyof Fields<A> & string;
/** What a list field holds. */
export type Item<V> = V extends readonly (infer I)[] ? I : unknown;

export interface SetOptions {
  unset?: boolean;
  ignoreValidation?: boolean;
  error?: (object: unknown, error: Error) => void;
}
