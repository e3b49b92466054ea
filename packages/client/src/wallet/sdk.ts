/*
 * Third-party wallet libraries are not part of this package: an application that needs one installs it, and
 * it is loaded when the wallet is enabled.
 */

/** Loads a wallet library: `() => import("magic-sdk")`. */
export type SdkLoader = () => Promise<unknown>;

export interface SdkSource {
  load: SdkLoader;
  /** The path of its global, as `["Magic"]` for `window.Magic`. */
  global: readonly string[];
  /** The name of the export. */
  name: string;
  /** The error message if it is not installed. */
  missing: string;
}

/** Loads a library's export: the installed one, else the page's global. Throws `missing`. */
export async function loadSdk({ load, global, name, missing }: SdkSource): Promise<unknown> {
  const module: unknown = await load().catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const found = member(module, name) ?? member(member(module, "default"), name);
  const value = found ?? global.reduce<unknown>(member, globalThis);
  if (value === undefined || value === null) throw new Error(missing);
  return value;
}

/** Calls a constructor that is only known at run time. */
export function construct(Class: unknown, ...args: unknown[]): unknown {
  if (typeof Class !== "function") throw new TypeError("The wallet library has changed: no constructor");
  return Reflect.construct(Class, args);
}

/** Calls a method of an object that is only known at run time. */
export async function call(target: unknown, method: string, ...args: unknown[]): Promise<unknown> {
  const found = member(target, method);
  if (typeof found !== "function") throw new TypeError(`The wallet library has changed: no ${method}()`);
  return Reflect.apply(found, target, args);
}

export function member(value: unknown, name: string): unknown {
  const holds = (typeof value === "object" || typeof value === "function") && value !== null;
  return holds ? Reflect.get(value, name) : undefined;
}

/** Whether an import failed because the package is missing; messages differ in Node, browsers and bundlers. */
function isNotFound(error: unknown): boolean {
  const code = member(error, "code");
  if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") return true;
  return /cannot find (module|package)|failed to resolve module|could not resolve|module name|bare specifier/i.test(
    String(member(error, "message")),
  );
}
