import type { JsonObject } from "@purse/protocol";
import type { AnyObject } from "./AnyObject.ts";

/** A class of objects that can be made without arguments. */
export interface ObjectClass<T extends AnyObject = AnyObject> {
  new (): T;
  readonly className?: string;
}

/** What the modules below ParseObject need of it. */
export interface ObjectFactory {
  /** With `override`, the JSON is all there is: what else was known of the object goes. */
  fromJSON(json: JsonObject, override?: boolean): AnyObject;
  /** An object that shares nothing with the other instances of it: how it was once. */
  apartFromJSON(json: JsonObject): AnyObject;
  isObject(value: unknown): value is AnyObject;
  /** Loads the classes of files, places and areas; see valueTypes. */
  loadValues(): Promise<unknown>;
}

let factory: ObjectFactory | undefined;
const classes = new Map<string, ObjectClass>();
let ownUserClass = false;

/** Set once by ParseObject. */
export function setObjectFactory(made: ObjectFactory): void {
  factory = made;
}

export function objects(): ObjectFactory {
  if (factory) return factory;
  throw new Error("Moralis has not been initialized, run Moralis.start first");
}

export function setClass(className: string, objectClass: ObjectClass): void {
  classes.set(storedClassName(className), objectClass);
}

export function removeClass(className: string): void {
  classes.delete(storedClassName(className));
}

export function classNamed(className: string): ObjectClass | undefined {
  return classes.get(className);
}

/** The class as the server calls it: "User" means the accounts, unless the application has a class of that name. */
export function storedClassName(className: string): string {
  return className === "User" && !ownUserClass ? "_User" : className;
}

export function allowOwnUserClass(allowed: boolean): void {
  ownUserClass = allowed;
}
