import { basename, resolve } from "node:path";
import validateName from "validate-npm-package-name";

/** The name of the project in a folder, which is also its application id. */
export function projectNameOf(folder: string): string {
  return basename(resolve(folder));
}

/** Why a folder's name cannot be the name of a package; undefined if it can. */
export function nameProblem(folder: string): string | undefined {
  const name = projectNameOf(folder);
  const { validForNewPackages, errors = [], warnings = [] } = validateName(name);
  if (validForNewPackages) return undefined;
  return `"${name}" is no name for a project: ${[...errors, ...warnings].join(", ")}`;
}
