import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { CreateError } from "./createError.ts";

/** The packages of Purse that starters depend on, also by other packages. */
const PACKAGES = ["purse", "@purse/protocol", "@purse/client", "@purse/react", "@purse/moralis"];

type Dependencies = Record<string, string>;

/** What this program reads of a package.json. */
export interface Manifest {
  dependencies?: Dependencies;
  devDependencies?: Dependencies;
  overrides?: Dependencies;
  [field: string]: unknown;
}

/** Replaces the tag `latest` of Purse's packages by a range that a version of this program has been tested with. */
export function withVersion(manifest: Manifest, version: string): Manifest {
  return mapDependencies(manifest, (_, spec) => spec.replace(/\blatest$/, `^${version}`));
}

/** Makes a project depend on the packages that a server hands out below a URL. */
export function withServedPackages(manifest: Manifest, url: string): Manifest {
  return mapDependencies(manifest, (name, spec) => {
    const own = packageOf(name, spec);
    return PACKAGES.includes(own) ? `${url}/${own.replace("@purse/", "")}.tgz` : spec;
  });
}

/**
 * Makes a project depend on packed packages in a folder instead of published ones. Throws CreateError if one of them is
 * missing.
 */
export function withPackedPackages(manifest: Manifest, folder: string, version: string): Manifest {
  const specs = new Map(PACKAGES.map((name) => [name, `file:${tarballOf(name, folder, version)}`]));
  const changed = mapDependencies(manifest, (name, spec) => specs.get(packageOf(name, spec)) ?? spec);
  const own = { ...changed.dependencies, ...changed.devDependencies };
  // Those that only other packages depend on.
  const overrides = Object.fromEntries([...specs].filter(([name]) => !Object.hasOwn(own, name)));
  return { ...changed, overrides };
}

/** The package that a dependency stands for: itself, or that of an alias such as npm:@purse/react@latest. */
function packageOf(name: string, spec: string): string {
  return /^npm:(.+)@[^@]+$/.exec(spec)?.[1] ?? name;
}

function tarballOf(name: string, folder: string, version: string): string {
  const file = resolve(join(folder, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`));
  if (!existsSync(file)) throw new CreateError(`${file} does not exist`);
  return file;
}

function mapDependencies(manifest: Manifest, change: (name: string, spec: string) => string): Manifest {
  const mapped = (all: Dependencies | undefined) =>
    all && Object.fromEntries(Object.entries(all).map(([name, spec]) => [name, change(name, spec)]));
  const { dependencies, devDependencies } = manifest;
  return {
    ...manifest,
    ...(dependencies && { dependencies: mapped(dependencies) }),
    ...(devDependencies && { devDependencies: mapped(devDependencies) }),
  };
}
