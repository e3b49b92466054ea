import type { JsonObject } from "@purse/protocol";
import type { AnyObject } from "./AnyObject.ts";

/** A class whose constructor works without arguments. */
export interface ObjectClass<T extends AnyObject = AnyObject> {
  new (): T;
  readonly className?: string;
}

/** The parts of ParseObject that modules below it need. */
export interface ObjectFactory {
  /** With `override` the JSON replaces everything that was known of the object. */
  fromJSON(json: JsonObject, override?: boolean): AnyObject;
  /** Creates an object that does not share state with its other instances: a snapshot. */
  detachedFromJSON(json: JsonObject): AnyObject;
  isObject(value: unknown): value is AnyObject;
  /** Loads the classes ParseFile, GeoPoint and Polygon; see valueTypes. */
  loadValues(): Promise<unknown>;
}

let factory: ObjectFactory | undefined;
const classes = new Map<string, ObjectClass>();
let hasCustomUserClass = false;

/** Set once by ParseObject. */
export function setObjectFactory(implementation: ObjectFactory): void {
  factory = implementation;
}

export function objects(): ObjectFactory {
  if (factory) return factory;
  throw new Error("Moralis has not been initialized, run Moralis.start first");
}

export function registerClass(className: string, objectClass: ObjectClass): void {
  classes.set(storedClassName(className), objectClass);
}

export function unregisterClass(className: string): void {
  classes.delete(storedClassName(className));
}

export function registeredClass(className: string): ObjectClass | undefined {
  return classes.get(className);
}

/** The server's name of a class: "User" is "_User", unless the application has a class of that name. */
export function storedClassName(className: string): string {
  return className === "User" && !hasCustomUserClass ? "_User" : className;
}

export function allowCustomUserClass(allowed: boolean): void {
  hasCustomUserClass = allowed;
}
