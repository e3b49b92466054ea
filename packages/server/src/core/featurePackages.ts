import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { ErrorCode, isRecord, ProtocolError } from "@purse/protocol";

/** Packages of the libraries that only some features use. `npm install @purse/server` brings none of them. */
export type FeaturePackage =
  | "@purse/clickhouse"
  | "@purse/graphql"
  | "@purse/images"
  | "@purse/ipfs"
  | "@purse/mcp"
  | "@purse/s3"
  | "@purse/tracing"
  | "@purse/valkey";

/** A feature that is used without its package. */
export class MissingPackageError extends Error {
  override readonly name = "MissingPackageError";
  /** What needs it: a setting as it was given, or a part of the server. */
  readonly neededBy: string;
  readonly packageName: string;

  constructor(neededBy: string, packageName: string) {
    super(`${neededBy} needs the package ${packageName}, which is not installed: npm install ${packageName}`);
    this.neededBy = neededBy;
    this.packageName = packageName;
  }
}

/** Undefined until it is asked for. */
let optional: ReadonlySet<string> | undefined;

/** Whether the libraries of a package are there: they are unless this copy of the server was installed without them. */
export function isInstalled(packageName: string): boolean {
  optional ??= optionalPackages();
  return !optional.has(packageName) || isFound(packageName);
}

/** The packages of features that are not installed. */
export function missingPackages(): string[] {
  optional ??= optionalPackages();
  return [...optional].filter((name) => !isFound(name));
}

/** Throws MissingPackageError if the package is not installed. */
export function assertInstalled(packageName: FeaturePackage, neededBy: string): void {
  if (!isInstalled(packageName)) throw new MissingPackageError(neededBy, packageName);
}

/** The response to a request that needs a package which is not installed. */
export function unavailable(packageName: FeaturePackage, what: string): ProtocolError {
  return new ProtocolError(
    ErrorCode.COMMAND_UNAVAILABLE,
    `${what}: this server has no package ${packageName}.`,
    501,
  );
}

/** The published server names them as optional. A checkout and the `purse` command have the libraries of all. */
function optionalPackages(): ReadonlySet<string> {
  const file = new URL("../../package.json", import.meta.url);
  const manifest: unknown = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const peers = isRecord(manifest) && isRecord(manifest.peerDependencies) ? manifest.peerDependencies : {};
  return new Set(Object.keys(peers));
}

function isFound(packageName: string): boolean {
  try {
    createRequire(import.meta.url).resolve(`${packageName}/package.json`);
    return true;
  } catch {
    return false;
  }
}
