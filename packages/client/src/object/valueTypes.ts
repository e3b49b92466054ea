import type { JsonObject } from "@purse/protocol";
import { objects } from "./registry.ts";

/*
 * Files, places and areas: not every application has them, so that their classes are loaded with the first answer that
 * tells of one, unless the application has imported them itself. Each makes itself known here.
 */

type Reader = (json: JsonObject) => object | undefined;

const readers = new Map<string, Reader>();
const TYPES = ["File", "GeoPoint", "Polygon"];

/** How to read the values of a type; undefined for what has not its shape. */
export function registerValueType(type: string, reader: Reader): void {
  readers.set(type, reader);
}

/** Loads the classes of values that a JSON text has. */
export async function loadValueTypes(json: string): Promise<void> {
  const missing = TYPES.filter((type) => !readers.has(type)).join("|");
  if (missing && new RegExp(`"__type"\\s*:\\s*"(${missing})"`).test(json)) {
    await objects().loadValues();
  }
}

/** Throws where the class of a known type has not been loaded. */
export function readValue(json: JsonObject): object | undefined {
  const type = String(json.__type);
  const reader = readers.get(type);
  if (!reader && TYPES.includes(type)) throw new Error(`Import ${type} to read it here`);
  return reader?.(json);
}

/** What is needed of a file by those who do not load its class. */
export interface AnyFile {
  url(): string | undefined;
  saveIPFS(): Promise<unknown>;
  save(options: object): Promise<unknown>;
}

export function isFile(value: object): value is AnyFile {
  return "saveIPFS" in value;
}
