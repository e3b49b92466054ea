import type { JsonObject } from "@purse/protocol";
import type { ParseObject } from "./ParseObject.ts";

/** A class of objects that can be made without arguments. */
export interface ObjectClass<T extends ParseObject<object> = ParseObject> {
  new (): T;
  readonly className?: string;
}

/** What the modules below ParseObject need of it. */
export interface ObjectFactory {
  create(className: string): ParseObject;
  fromJSON(json: JsonObject): ParseObject;
  isObject(value: unknown): value is ParseObject<object>;
}

let factory: ObjectFactory | undefined;
const classes = new Map<string, ObjectClass>();

/** Set once by ParseObject. */
export function setObjectFactory(made: ObjectFactory): void {
  factory = made;
}

export function objects(): ObjectFactory {
  if (factory) return factory;
  throw new Error("ParseObject is not loaded: run Moralis.start first");
}

export function setClass(className: string, objectClass: ObjectClass): void {
  classes.set(className, objectClass);
}

export function classNamed(className: string): ObjectClass | undefined {
  return classes.get(className);
}
