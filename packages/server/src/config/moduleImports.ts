import { registerHooks } from "node:module";
import { isModule, type Module } from "@purse/kernel";

/** What the config file and the modules that it names may import of the server that reads it, by specifier. */
export type ServerEntries = Readonly<Record<string, object>>;

/** The specifier under which a package that the config file names is imported. */
const NAMED = "purse-module:";
const ENTRY = "purse-entry:";
const hooked = new Map<string, object>();

declare global {
  var purseEntries: ReadonlyMap<string, object> | undefined;
}

/**
 * Gives config files and modules the entries of this server in the place of an installed copy, whose classes would be
 * others, and which need not be installed. Package names of `modules` are found from the config file.
 */
export function hookEntries(entries: ServerEntries, configUrl: string): void {
  const isFirst = hooked.size === 0;
  for (const [specifier, entry] of Object.entries(entries)) hooked.set(specifier, entry);
  if (!isFirst) return;
  globalThis.purseEntries = hooked;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (hooked.has(specifier)) return { url: ENTRY + specifier, format: "module", shortCircuit: true };
      return specifier.startsWith(NAMED)
        ? nextResolve(specifier.slice(NAMED.length), { ...context, parentURL: configUrl })
        : nextResolve(specifier, context);
    },
    load(url, context, nextLoad) {
      if (!url.startsWith(ENTRY)) return nextLoad(url, context);
      const specifier = url.slice(ENTRY.length);
      const names = Object.keys(hooked.get(specifier) ?? {});
      const source = `export const { ${names.join(", ")} } = globalThis.purseEntries.get(${JSON.stringify(specifier)});`;
      return { format: "module", source, shortCircuit: true };
    },
  });
}

/**
 * Reads `modules` of the config file: modules, functions that return one, and names of packages whose default export is
 * either. Throws Error that names the entry and what is expected.
 */
export async function readModules(value: unknown, path: string): Promise<Module[]> {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Error(`${path}: "modules" must be a list`);
  return Promise.all(
    value.map(async (entry: unknown, index) => {
      const found = typeof entry === "string" ? await importModule(entry, path) : entry;
      const module: unknown = typeof found === "function" ? found() : found;
      if (isModule(module)) return module;
      const what = typeof entry === "string" ? `the default export of ${entry}` : `"modules[${index}]"`;
      throw new Error(`${path}: ${what} must be a module, made by defineModule() of @purse/server/module`);
    }),
  );
}

async function importModule(name: string, path: string): Promise<unknown> {
  try {
    const imported: { default?: unknown } = await import(NAMED + name);
    return imported.default;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${path}: the module "${name}" cannot be loaded: ${reason}`, { cause: error });
  }
}
