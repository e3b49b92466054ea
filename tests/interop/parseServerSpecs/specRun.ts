/*
 * Runs the files of a suite of specs with jasmine, each in a process of its own, and counts what passed. The process
 * itself starts the Purse processes that its specs use (`currentServer.mjs`).
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { settingRows } from "@purse/server";
import { startPostgres } from "../../support/postgresServer.ts";

/** A prepared suite. */
export interface SpecSuite {
  /** The folder that jasmine runs in, with its packages. */
  folder: string;
  /** Names of the files, as they are printed and named by `--only`. */
  files: string[];
  /** The path of a file, from the folder. */
  pathOf(file: string): string;
  /** The path of the file that is loaded before each file. */
  setup: string;
  masterKey: string;
  /** The port at which the specs expect their server. */
  port: number;
  /** Further variables of the processes. */
  env: Record<string, string>;
}

export interface SpecRunOptions {
  checkout: string;
  database: string;
  /** Names of the only files to run. */
  only: string[] | undefined;
  /** Part of the titles of the only specs to run. */
  title: string | undefined;
  verbose: boolean;
}

/** The result of one spec. */
export interface SpecResult {
  title: string;
  status: "passed" | "failed" | "pending";
  /** Why the spec reaches into the server's process, by spies, adapters or its modules, and is not counted. */
  internal?: string;
  messages: string[];
}

/**
 * The options of the command line. Throws if a database does not exist, or `--checkout` names no folder that contains
 * `specFolder`.
 */
export function readSpecOptions(specFolder: string): SpecRunOptions {
  const { values } = parseArgs({
    options: {
      checkout: { type: "string" },
      database: { type: "string", default: "sqlite" },
      only: { type: "string" },
      name: { type: "string" },
      verbose: { type: "boolean", default: false },
    },
  });
  const { checkout, database, only, name: title, verbose } = values;
  if (checkout === undefined || !existsSync(join(checkout, specFolder)))
    throw new Error(`--checkout: name the folder of a checkout that contains ${specFolder}`);
  if (!["sqlite", "postgres"].includes(database)) throw new Error("--database: must be sqlite or postgres");
  return { checkout, database, only: only?.split(","), title, verbose };
}

/** Installs packages in a folder unless it has them; returns whether it did. Their scripts do not run. */
export function installPackages(folder: string, packageJson: Record<string, unknown>): boolean {
  const file = join(folder, "package.json");
  const wanted = JSON.stringify({ private: true, ...packageJson });
  if (existsSync(file) && readFileSync(file, "utf8") === wanted) return false;
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, wanted);
  const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], {
    cwd: folder,
    stdio: "inherit",
  });
  if (status === 0) return true;
  rmSync(file);
  throw new Error("The packages of the specs could not be installed.");
}

/** Runs the files of a suite, prints what failed and a table; the results of each file are JSON in `results`. */
export async function runSpecs(suite: SpecSuite, options: SpecRunOptions): Promise<void> {
  mkdirSync(join(suite.folder, "results"), { recursive: true });
  const postgres = options.database === "postgres" ? await startPostgres() : undefined;
  try {
    const files = suite.files.filter((file) => options.only?.includes(file) ?? true);
    const rows = files.map((file) => ({ file, ...countOf(runFile(suite, file, options, postgres?.url)) }));
    console.table(rows);
    const passed = rows.reduce((sum, row) => sum + row.passed, 0);
    const failed = rows.reduce((sum, row) => sum + row.failed, 0);
    const share = ((100 * passed) / (passed + failed || 1)).toFixed(1);
    console.log(`${passed} passed, ${failed} failed (${share} %)`);
  } finally {
    await postgres?.stop();
  }
}

function runFile(
  suite: SpecSuite,
  file: string,
  { database, title, verbose }: SpecRunOptions,
  databaseUrl: string | undefined,
): SpecResult[] {
  const results = join(suite.folder, "results", `${file}.${database}.json`);
  rmSync(results, { force: true });
  const jasmine = join(suite.folder, "node_modules/jasmine/bin/jasmine.js");
  const filter = title === undefined ? [] : [`--filter=${title}`];
  const run = spawnSync(
    process.execPath,
    [jasmine, "--random=false", `--helper=${suite.setup}`, suite.pathOf(file), ...filter],
    {
      cwd: suite.folder,
      stdio: verbose ? "inherit" : "ignore",
      timeout: 30 * 60_000,
      env: {
        ...process.env,
        ...suite.env,
        SPECS_FOLDER: suite.folder,
        SPECS_RESULTS: results,
        SPECS_PORT: String(suite.port),
        SPECS_MASTER_KEY: suite.masterKey,
        SPECS_SETTINGS: JSON.stringify(settingRows().map(({ key }) => key)),
        ...(databaseUrl !== undefined && { SPECS_DATABASE_URL: databaseUrl }),
      },
    },
  );
  if (!existsSync(results)) {
    console.error(`${file}: no results (exit code ${run.status})`);
    return [];
  }
  const specs: SpecResult[] = JSON.parse(readFileSync(results, "utf8"));
  for (const spec of specs)
    if (spec.status === "failed" && spec.internal === undefined)
      console.log(`${file}: ${spec.title}\n    ${spec.messages.join("\n    ").slice(0, 800)}`);
  return specs;
}

/** Counts specs: those that are internal are neither passed nor failed. */
export function countOf(specs: readonly SpecResult[]): {
  passed: number;
  failed: number;
  internal: number;
  pending: number;
} {
  const count = (isCounted: (spec: SpecResult) => boolean) => specs.filter(isCounted).length;
  return {
    passed: count(({ status, internal }) => status === "passed" && internal === undefined),
    failed: count(({ status, internal }) => status === "failed" && internal === undefined),
    internal: count(({ internal }) => internal !== undefined),
    pending: count(({ status }) => status === "pending"),
  };
}
