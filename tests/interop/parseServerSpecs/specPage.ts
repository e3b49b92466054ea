/*
 * Writes docs/internals/parse-server-specs.md from the results that runs of Parse Server's specs have left, of one or of
 * both databases.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countOf, type SpecResult } from "./specRun.ts";

const DATABASES = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;
type Database = keyof typeof DATABASES;
const NAMES: readonly Database[] = ["sqlite", "postgres"];

const IGNORED_OPTIONS =
  "the [table of options](../migrate/from-parse.md#move-the-options) says which have none";

/** Files about options of Parse Server that Purse does not have, by file: they are run, but not counted. */
const UNSUPPORTED: Readonly<Record<string, string>> = { PagesRouter: "pages" };

/** The results of one file on each database, and when they were recorded, as YYYY-MM-DD. */
interface FileResults extends Partial<Record<Database, SpecResult[]>> {
  dates: Partial<Record<Database, string>>;
}

/** Writes the page. `internal` are the files that are not run; `folderOf` returns the folder of the specs of a database. */
export function writeSpecPage(
  root: string,
  version: string,
  internal: readonly string[],
  folderOf: (database: Database) => string,
): void {
  const files = new Map<string, FileResults>();
  for (const database of NAMES) {
    const folder = join(folderOf(database), "results");
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder)) {
      const file = name.replace(`.${database}.json`, "");
      if (file === name) continue;
      const results: SpecResult[] = JSON.parse(readFileSync(join(folder, name), "utf8"));
      const date = statSync(join(folder, name)).mtime.toISOString().slice(0, 10);
      const others = files.get(file);
      files.set(file, { ...others, [database]: results, dates: { ...others?.dates, [database]: date } });
    }
  }
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(join(root, "docs/internals/parse-server-specs.md"), page(version, internal, sorted));
}

function page(
  version: string,
  internal: readonly string[],
  allFiles: readonly [string, FileResults][],
): string {
  const files = allFiles.filter(([file]) => !Object.hasOwn(UNSUPPORTED, file));
  const all = (database: Database) => files.flatMap(([, results]) => results[database] ?? []);
  const row = (name: string, results: FileResults) => {
    const internal = countOf(results.sqlite ?? results.postgres ?? []).internal;
    return `| ${name} | ${NAMES.map((database) => cell(results[database])).join(" | ")} | ${internal} | ${datesOf(results)} |`;
  };
  const totals: FileResults = { dates: {}, sqlite: all("sqlite"), postgres: all("postgres") };
  return `# Specs of Parse Server

Written by \`npm run interop:specs -- --checkout ../parse-server\`, also with \`--database postgres\`: the specs of Parse Server
${version} against Purse with \`compatibility: "parse"\`, over HTTP. Specs that fail because they need something inside of Parse
Server's process (spies, adapters, its modules), and those that send nothing to the server, are counted as internal. Passed of the others: ${NAMES.map((database) => `${share(all(database))} on ${DATABASES[database]}`).join(", ")}. The table says when each file was run last.

Three adjustments let the specs, which configure a server inside of their process, run against another one:

- Options of Parse Server become the settings of Purse that do the same. Options without such a setting are ignored, so that a spec
  about them may pass by chance; ${IGNORED_OPTIONS}.
- Events of live queries and emails reach the specs in the order in which Parse Server sends them: after the response to the
  request that causes them.
- \`compatibility\` is \`parse\`, which is not the default, and account limits are off.

Not run are ${internal.length} files, which test modules of Parse Server's process, its command line, Redis or MongoDB, and nothing that
clients or operators see: ${internal.join(", ")}.
${unsupported(allFiles).join("\n")}

| Specs | SQLite | PostgreSQL | Internal | Run |
| --- | --- | --- | ---: | --- |
${files.map(([file, results]) => row(file, results)).join("\n")}
${row("**All**", totals)}

## Failed

Most fail because of a [documented difference](../migrate/behavior-differences.md#responses-that-differ-from-parse-server).

${failures(files).join("\n")}
`;
}

function datesOf({ dates }: FileResults): string {
  const { sqlite, postgres } = dates;
  if (sqlite === postgres || postgres === undefined) return sqlite ?? "";
  return sqlite === undefined ? postgres : `${sqlite}, PostgreSQL ${postgres}`;
}

/** A sentence for each file that is not counted. */
function unsupported(files: readonly [string, FileResults][]): string[] {
  return Object.entries(UNSUPPORTED).flatMap(([name, option]) => {
    const results = files.find(([file]) => file === name)?.[1];
    const { passed, failed } = countOf(results?.sqlite ?? results?.postgres ?? []);
    return [
      `Not counted is ${name} (${passed} passed, ${failed} failed): it is about the option \`${option}\`, which [has no counterpart](../migrate/from-parse.md#move-the-options).`,
    ];
  });
}

function cell(results: SpecResult[] | undefined): string {
  if (!results) return "not run";
  const { passed, failed } = countOf(results);
  return `${passed} passed, ${failed} failed`;
}

function share(results: readonly SpecResult[]): string {
  const { passed, failed } = countOf(results);
  return `${passed} of ${passed + failed} (${((100 * passed) / (passed + failed || 1)).toFixed(1)} %)`;
}

/** One line for each spec that failed on a database. */
function failures(files: readonly [string, FileResults][]): string[] {
  return files.flatMap(([file, results]) => {
    const failedOn = new Map<string, Database[]>();
    for (const database of NAMES)
      for (const { title, status, internal } of results[database] ?? [])
        if (status === "failed" && internal === undefined)
          failedOn.set(title, [...(failedOn.get(title) ?? []), database]);
    return [...failedOn].map(([title, databases]) => {
      const where = databases.length === NAMES.length ? "" : ` (${databases.map((each) => DATABASES[each])})`;
      return `- ${file}: \`${title.replaceAll("`", "'").replaceAll(/\s+/g, " ").trim()}\`${where}`;
    });
  });
}
