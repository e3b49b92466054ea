import type { JsonObject } from "@purse/protocol";
import { objects } from "./registry.ts";

/*
 * ParseFile, GeoPoint and Polygon: not every application uses them, so their classes are loaded with the first response
 * that contains one, unless the application imports them itself. Each registers itself here.
 */

type Reader = (json: JsonObject) => object | undefined;

const readers = new Map<string, Reader>();
const TYPES = ["File", "GeoPoint", "Polygon"];

/** Registers how values of a type are decoded; readers return undefined for invalid values. */
export function registerValueType(type: string, reader: Reader): void {
  readers.set(type, reader);
}

/** Loads the classes of the values in a JSON text. */
export async function loadValueTypes(json: string): Promise<void> {
  const missing = TYPES.filter((type) => !readers.has(type)).join("|");
  if (missing && new RegExp(`"__type"\\s*:\\s*"(${missing})"`).test(json)) {
    await objects().loadValues();
  }
}

/** Throws if the class of a known type has not been loaded. */
export function decodeValue(json: JsonObject): object | undefined {
  const type = String(json.__type);
  const reader = readers.get(type);
  if (!reader && TYPES.includes(type)) throw new Error(`Import ${type} to read it here`);
  return reader?.(json);
}

/** The part of ParseFile that is used without loading its class. */
export interface AnyFile {
  url(): string | undefined;
  saveIPFS(): Promise<unknown>;
  save(options: object): Promise<unknown>;
}

export function isFile(value: object): value is AnyFile {
  return "saveIPFS" in value;
}
