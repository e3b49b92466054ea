import { readFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isModule, type Module } from "@purse/kernel";

/** What the config file and the modules that it names may import of the server that reads it, by specifier. */
export type ServerEntries = Readonly<Record<string, () => Promise<object>>>;

/** A specifier with this beginning has the URL of the config file and, after a blank, a name that it contains. */
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
export async function hookEntries(entries: ServerEntries, configUrl: string): Promise<void> {
  const text = await readFile(fileURLToPath(configUrl), "utf8");
  // Most config files import nothing, and the entries take memory.
  if (!/@purse\/server\/|\bmodules\b/.test(text)) return;
  const isFirst = hooked.size === 0;
  for (const [specifier, load] of Object.entries(entries)) hooked.set(specifier, await load());
  if (!isFirst) return;
  globalThis.purseEntries = hooked;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (hooked.has(specifier)) return { url: ENTRY + specifier, format: "module", shortCircuit: true };
      if (!specifier.startsWith(NAMED)) return nextResolve(specifier, context);
      const [parentURL, name = ""] = specifier.slice(NAMED.length).split(" ");
      return nextResolve(name, { ...context, parentURL });
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
    const imported: { default?: unknown } = await import(`${NAMED}${pathToFileURL(path).href} ${name}`);
    return imported.default;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${path}: the module "${name}" cannot be loaded: ${reason}`, { cause: error });
  }
}
