import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { JsonValue } from "@purse/protocol";
import {
  type Config,
  createBackup,
  didYouMean,
  exportStore,
  type FileCounts,
  type FileSource,
  generateTypes,
  gridDocuments,
  type ImportOptions,
  importDump,
  importFile,
  loadConfig,
  lockDatabase,
  moveFiles,
  openSchemas,
  openStore,
  PROGRAM,
  type Progress,
  protectDataFolder,
  restoreBackup,
  type Store,
} from "@purse/server";
import { COMMAND_WORDS, completionScript } from "./completion.ts";
import { diagnose, renderFindings } from "./doctor/doctor.ts";
import { initProject } from "./init.ts";
import { runKeysCommand } from "./keys.ts";
import { runMigrateCommand } from "./migrateCommand.ts";
import { MORALIS_COMMANDS, MORALIS_HELP, MORALIS_OPTIONS, WRITES_CLOUD_CODE } from "./moralisAdmin.ts";
import { runOperatorCommand } from "./operators.ts";
import {
  parsePermissionsRequest,
  runPermissionsCommand,
  setPermissionsOnServer,
} from "./permissionsCommand.ts";
import { runSchemaCommand } from "./schemaCommand.ts";
import { classesOfServer, classesOfStore } from "./serverClasses.ts";
import { UsageError } from "./usageError.ts";

const HELP = `Usage: ${PROGRAM} <command>

  export  --out FILE                     exports everything as JSON lines
  import  --in FILE [--skip-bad FILE]    imports an export; resumes after an interruption
  import  --parse FOLDER [--skip-bad FILE]
                                         imports a Parse database, with its GridFS, from mongodump or mongoexport
  import  --files SOURCE                 copies the files of another server, from a folder or s3://…
  backup  --out FILE                     copies the database while the server runs; FILE may be s3://…
  restore --in FILE [--force]            replaces the database by a backup; FILE may be s3://…
  keys add [--name NAME] [--limit N] [--key KEY]
                                         creates an API key of the data API with N requests per minute; shown once
  keys list
  keys revoke ID-OR-NAME                 permanently, also in running servers
  operator add NAME [--role owner|editor|readOnly] [--password PASSWORD]
                                         adds an operator of /studio; generates and shows a password
  operator list
  operator reset NAME [--password PASSWORD]
                                         sets a new password and removes the second factor
  operator remove NAME
  init                                   writes purse.config.ts and cloud/main.ts to this folder
  doctor [--json]                        checks settings, databases, buckets, Valkey, nodes, mail and public URL
  schema [diff]                          shows what the next start would change in the classes
  schema apply                           changes the classes without a start
  migrate [--dry-run]                    applies schemas and runs the files of migrations/ that have not run
  permissions [list]                     shows what strangers may do with each class
  permissions close CLASS... [--server URL]
                                         lets only operators use classes, with --server in a running server
  permissions set CLASS ACCESS [--server URL]
                                         ACCESS: closed, publicRead, usersRead, usersOwn, usersCreate, publicCreate, open
  columns                                adds typed columns to existing PostgreSQL tables, which speed up queries
  types   --out FILE [--server URL] [--from PACKAGE] [--check]
                                         generates TypeScript types of the classes, from this database or a server
  completion bash|zsh|fish               shows a script that completes commands in a shell

--json writes the result of a command as JSON.
A command that fails ends with 1, one with wrong arguments with 2.

Commands of moralis-admin-cli:

${MORALIS_HELP}

Stop the server before an import. The settings are those of the server: --data-dir, PURSE_DATABASE_URL, …`;

/** The environment and output of a command. */
export interface CommandContext {
  env: Record<string, string | undefined>;
  cwd: string;
  progress: Progress;
  print(text: string): void;
  /** Ends commands that watch something. */
  signal?: AbortSignal;
}

/** What a command has done, as text and for `--json`. */
interface CommandReport {
  text: string;
  json: JsonValue;
}

/** Commands whose first argument is an action. */
const TAKES_ACTIONS: ReadonlySet<string> = new Set([
  "keys",
  "operator",
  "schema",
  "permissions",
  "completion",
]);

/** A command has failed, and has printed why. */
export class CommandFailedError extends Error {}

/** Executes a command. Throws CommandFailedError, or Error with a user-facing message. */
export async function runCommand(
  [command, ...args]: string[],
  { env, cwd, progress, print, signal }: CommandContext,
): Promise<void> {
  if (command === undefined || args.includes("--help") || command === "--help" || command === "-h")
    return print(HELP);
  const options = {
    ...MORALIS_OPTIONS,
    out: { type: "string" },
    in: { type: "string" },
    parse: { type: "string" },
    files: { type: "string" },
    "skip-bad": { type: "string" },
    force: { type: "boolean" },
    name: { type: "string" },
    limit: { type: "string" },
    key: { type: "string" },
    role: { type: "string" },
    password: { type: "string" },
    server: { type: "string" },
    from: { type: "string" },
    check: { type: "boolean" },
    "dry-run": { type: "boolean" },
    json: { type: "boolean" },
    "data-dir": { type: "string" },
    config: { type: "string" },
  } as const;
  const { values, positionals } = parseArgs({ args, options, strict: true, allowPositionals: true });
  if (!TAKES_ACTIONS.has(command) && positionals[0] !== undefined)
    throw new UsageError(`${command} takes no "${positionals[0]}"\n\n${HELP}`);
  const forwarded = [
    ...(values["data-dir"] === undefined ? [] : ["--data-dir", values["data-dir"]]),
    ...(values.config === undefined ? [] : ["--config", values.config]),
  ];
  const { PURSE_CLOUD: cloud, ...otherSettings } = env;
  const settings = WRITES_CLOUD_CODE.has(command) ? otherSettings : env;
  if (command === "completion") return print(completionScript(positionals[0]));
  const report = ({ text, json }: CommandReport) => print(values.json ? JSON.stringify(json, null, 2) : text);
  if (command === "init") return report(await initialize(cwd));
  const loadSettings = () => loadConfig({ argv: forwarded, env: settings, cwd });
  if (command === "doctor") {
    const findings = await diagnose(loadSettings);
    print(values.json ? JSON.stringify(findings, null, 2) : renderFindings(findings));
    if (findings.some(({ state }) => state === "error")) throw new CommandFailedError();
    return;
  }
  const config = await loadSettings();
  const moralisCommand = MORALIS_COMMANDS.get(command);
  if (moralisCommand) return moralisCommand(values, { config, cloud, cwd, print, signal });
  switch (command) {
    case "export": {
      const file = resolve(required(values.out, "--out"));
      const counts = await withStore(config, (store) => exportStore(store, file, progress));
      progress.done();
      return report({
        text: `${file}: ${counts.classes} classes, ${counts.objects} objects, ${counts.relations} members of relations, ${counts.uniqueValues} unique values`,
        json: { file, ...counts },
      });
    }
    case "import":
      if (values.files !== undefined) return report(await importFiles(config, values.files, progress));
      return report(await importInto(config, values, progress));
    case "backup":
      return report(
        await withPrivateFiles(config, () => backUp(config, required(values.out, "--out"), progress)),
      );
    case "restore":
      return report(
        await withPrivateFiles(config, () =>
          restore(config, required(values.in, "--in"), values.force ?? false, progress),
        ),
      );
    case "keys":
      return report(await withStore(config, (store) => runKeysCommand(store, config, positionals, values)));
    case "operator":
      return report(await withStore(config, (store) => runOperatorCommand(store, positionals, values)));
    case "schema": {
      // A running server of SQLite would keep the classes of before.
      const withOpenStore = positionals[0] === "apply" ? withLockedStore : withStore;
      return report(await withOpenStore(config, (store) => runSchemaCommand(store, config, positionals[0])));
    }
    case "migrate":
      return report(await withPrivateFiles(config, () => migrate(config, values, { progress, print })));
    case "permissions": {
      const request = parsePermissionsRequest(positionals);
      if (values.server !== undefined)
        return report(await setPermissionsOnServer(values.server, config, request));
      const withOpenStore = request.action === "set" ? withLockedStore : withStore;
      return report(await withOpenStore(config, (store) => runPermissionsCommand(store, config, request)));
    }
    case "columns":
      return report(await withStore(config, (store) => addColumns(store, config)));
    case "types":
      return report(await writeTypes(config, values));
    default:
      throw new UsageError(
        `"${command}" is not a command${didYouMean(command, Object.keys(COMMAND_WORDS)) || `\n\n${HELP}`}`,
      );
  }
}

async function backUp({ database }: Config, out: string, progress: Progress): Promise<CommandReport> {
  const { file, rows } = await createBackup(database, out, progress);
  progress.done();
  if (database.kind === "sqlite")
    return { text: `${file}: a verified copy of ${database.path}`, json: { file } };
  return { text: `${file}: ${countText(rows)}`, json: { file, rows: { ...rows } } };
}

async function restore(
  { database }: Config,
  source: string,
  force: boolean,
  progress: Progress,
): Promise<CommandReport> {
  const rows = await restoreBackup(database, source, force, progress);
  progress.done();
  if (database.kind === "sqlite") {
    return { text: `${database.path}: restored from the backup`, json: { file: database.path } };
  }
  return { text: `restored from the backup: ${countText(rows)}`, json: { rows: { ...rows } } };
}

function countText(rows: Record<string, number> = {}): string {
  const counts = Object.values(rows);
  return `${counts.reduce((sum, count) => sum + count, 0)} rows of ${counts.length} tables`;
}

async function migrate(
  config: Config,
  values: { "dry-run"?: boolean; json?: boolean },
  { progress, print }: Pick<CommandContext, "progress" | "print">,
): Promise<CommandReport> {
  try {
    return await runMigrateCommand(config, {
      isDryRun: values["dry-run"] ?? false,
      onProgress: (name, count) => progress.report(name, count),
      warn: values.json ? () => undefined : print,
    });
  } finally {
    progress.done();
  }
}

async function importInto(
  config: Config,
  values: { in?: string; parse?: string; "skip-bad"?: string },
  progress: Progress,
): Promise<CommandReport> {
  const skip = values["skip-bad"];
  const onInvalidRecord: ImportOptions["onInvalidRecord"] =
    skip === undefined
      ? undefined
      : (line, text, reason) => appendFileSync(skip, `${JSON.stringify({ line, reason, text })}\n`);
  return withLockedStore(config, async (store) => {
    const schemas = await openSchemas(store, config.modules);
    const options = { store, schemas, progress, onInvalidRecord };
    if (values.parse !== undefined) {
      const folder = resolve(values.parse);
      const counts = await importDump(folder, options);
      const gridFs = await gridDocuments(folder);
      const files = gridFs && (await copyFiles(config, gridFs, progress));
      progress.done();
      const lines = [
        ...countLines(counts.collections),
        `${counts.lines} documents, ${counts.invalid} damaged ones skipped`,
        ...counts.unknownColumns.map((column) => `skipped, unknown field: ${column}`),
        ...counts.addedFields.map((field) => `added, not in _SCHEMA: ${field}`),
        ...counts.skippedCollections.map((collection) => `skipped, internal collection: ${collection}`),
        ...counts.conflicts.map((conflict) => `conflict, value already taken: ${conflict}`),
        ...(files ? fileLines(files) : []),
      ];
      return {
        text: lines.join("\n"),
        json: JSON.parse(JSON.stringify({ ...counts, ...(files && { files }) })),
      };
    }
    const counts = await importFile(resolve(required(values.in, "--in or --parse")), options);
    progress.done();
    const resumed = counts.resumedAfter > 0 ? `, resumed after line ${counts.resumedAfter}` : "";
    const lines = [
      ...countLines(counts.objects),
      `${counts.lines} lines${resumed}, ${counts.invalid} damaged ones skipped`,
      ...counts.conflicts.map((conflict) => `conflict, value already taken: ${conflict}`),
    ];
    return { text: lines.join("\n"), json: JSON.parse(JSON.stringify(counts)) };
  });
}

async function importFiles(config: Config, source: string, progress: Progress): Promise<CommandReport> {
  const counts = await withPrivateFiles(config, () => copyFiles(config, source, progress));
  progress.done();
  return { text: fileLines(counts).join("\n"), json: JSON.parse(JSON.stringify(counts)) };
}

function copyFiles(config: Config, source: FileSource, progress: Progress): Promise<FileCounts> {
  return moveFiles(config, source, (count) => progress.report("files", count));
}

function fileLines({ copied, bytes, present, failed }: FileCounts): string[] {
  return [
    `${copied} files copied, ${bytes} bytes; ${present} were there already`,
    ...failed.map((name) => `not copied: ${name}`),
  ];
}

/** Lines that compare counts by name with those of the database of before. */
function countLines(counts: Readonly<Record<string, number>>): string[] {
  const width = Math.max(0, ...Object.keys(counts).map((name) => name.length));
  return Object.entries(counts).map(([name, count]) => `${name.padEnd(width)}  ${count}`);
}

async function initialize(folder: string): Promise<CommandReport> {
  const files = await initProject(folder);
  const lines = files.map(
    ({ file, isWritten }) => `${file}: ${isWritten ? "written" : "exists already, unchanged"}`,
  );
  return { text: lines.join("\n"), json: files.map((file) => ({ ...file })) };
}

async function addColumns(store: Store, { modules }: Config): Promise<CommandReport> {
  const added = await (await openSchemas(store, modules)).addColumns();
  if (!added) throw new Error("This is for PostgreSQL. A SQLite database has no typed columns.");
  const lines = [...added].map(([className, fields]) => `+ ${className}: ${fields.join(", ")}`);
  return {
    text: lines.length > 0 ? lines.join("\n") : "All classes have their columns.",
    json: { added: Object.fromEntries([...added].map(([className, fields]) => [className, [...fields]])) },
  };
}

async function writeTypes(
  config: Config,
  values: { out?: string; server?: string; from?: string; check?: boolean },
): Promise<CommandReport> {
  const file = resolve(required(values.out, "--out"));
  const classes = values.server
    ? await classesOfServer(values.server, config)
    : await withStore(config, (store) => classesOfStore(store, config));
  const text = generateTypes(classes, values.from);
  const stale = !existsSync(file) || readFileSync(file, "utf8") !== text;
  if (values.check && stale) throw new Error(`${file} is stale: npm run purse -- types writes it`);
  if (stale) writeFileSync(file, text);
  return { text: `${file}: ${stale ? "written" : "up to date"}`, json: { file, isWritten: stale } };
}

function withStore<T>(config: Config, task: (store: Store) => Promise<T>): Promise<T> {
  return withPrivateFiles(config, async () => {
    const store = await openStore(config.database);
    try {
      return await task(store);
    } finally {
      await store.close();
    }
  });
}

/** Lets only the user of this process read the data folder, and the files that a task writes, such as exports. */
async function withPrivateFiles<T>({ dataDir }: Config, task: () => Promise<T>): Promise<T> {
  const before = process.umask();
  try {
    await protectDataFolder(dataDir, { info: () => undefined, warn: () => undefined });
    return await task();
  } finally {
    process.umask(before);
  }
}

/** The same with the database locked, so that no server runs with stale caches. */
async function withLockedStore<T>(config: Config, task: (store: Store) => Promise<T>): Promise<T> {
  const { database } = config;
  const lock = database.kind === "sqlite" ? lockDatabase(database.path) : undefined;
  try {
    return await withStore(config, task);
  } finally {
    lock?.release();
  }
}

function required(value: string | undefined, option: string): string {
  if (value !== undefined && value !== "") return value;
  throw new UsageError(`${option} is missing\n\n${HELP}`);
}
