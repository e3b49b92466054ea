import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Logger } from "@purse/kernel";
import { isRecord, type JsonObject } from "@purse/protocol";
import type { Migration } from "../../config/migration.ts";
import { newObjectId } from "../../data/objects/objectId.ts";
import type { Objects } from "../../data/objects/objects.ts";
import type { Schemas } from "../../data/schema/schemas.ts";
import { fencedStore, LeaseHolder } from "../../database/leases/leaseHolder.ts";
import { createRow, findRows } from "../../database/serverRows.ts";
import type { Store } from "../../database/store.ts";
import { type ClassChanges, createMigrationObjects } from "./migrationObjects.ts";
import { MIGRATION_CLASS } from "./migrationRules.ts";

export interface MigrationsDependencies {
  /** The absolute path of their folder. */
  folder: string;
  objects: Pick<Objects, "create" | "update" | "remove">;
  schemas: Pick<Schemas, "get" | "require">;
  store: Store;
  clock(): number;
  log: Logger;
}

/** How migrations run. */
export interface MigrationOptions {
  isDryRun: boolean;
  /** Called with the migration that runs and the number of objects that it has written. */
  onProgress?(name: string, count: number): void;
}

/** What a migration has done, or would do. */
export interface MigrationReport {
  /** The name of its file. */
  name: string;
  changes: Record<string, ClassChanges>;
}

const LOG_INTERVAL_MS = 5_000;
/** Neither declarations nor tests of migrations. */
const FILE = /^[^.].*(?<!\.(?:d|test|spec))\.(?:ts|js|mjs)$/;

/** Runs the migrations of an application: each once, in the order of their names, by one process. */
export class Migrations {
  readonly #dependencies: MigrationsDependencies;

  constructor(dependencies: MigrationsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Runs those that have not run in this database; if another process does, waits until it has. As a dry run, writes nothing.
   * Rejects with an Error that names the migration that failed: those before it have run.
   */
  async run({ isDryRun, onProgress = this.#logProgress() }: MigrationOptions): Promise<MigrationReport[]> {
    const reports: MigrationReport[] = [];
    if (isDryRun) {
      for (const name of await this.#pending())
        reports.push(await this.#execute(name, undefined, onProgress));
      return reports;
    }
    if ((await this.#pending()).length === 0) return reports;
    const { store, log } = this.#dependencies;
    let turn = Promise.withResolvers<void>();
    const holder = new LeaseHolder({
      leases: store.leases,
      name: "migrations",
      logger: log,
      onChange: () => turn.resolve(),
    });
    holder.start();
    try {
      await holder.renew();
      if (holder.term === undefined) log.info("another process runs the migrations: waiting for it");
      while (holder.term === undefined) {
        await turn.promise;
        turn = Promise.withResolvers();
      }
      // Another process may have run them meanwhile.
      for (const name of await this.#pending()) reports.push(await this.#execute(name, holder, onProgress));
    } finally {
      await holder.stop();
    }
    return reports;
  }

  /** The names of those that have not run, in their order. Warns of files that were changed after they had run. */
  async #pending(): Promise<string[]> {
    const { folder, store, schemas, log } = this.#dependencies;
    const names = (await readdir(folder)).filter((name) => FILE.test(name)).sort();
    const rows = await findRows(store, schemas.require(MIGRATION_CLASS));
    const hashes = new Map(rows.map(({ name, hash }) => [name, hash]));
    const pending: string[] = [];
    for (const name of names) {
      if (!hashes.has(name)) pending.push(name);
      else if (hashes.get(name) !== (await this.#hashOf(name)))
        log.warn("a migration was changed after it had run, and does not run again", { name });
    }
    return pending;
  }

  /** Runs a migration while this process holds the lease; without a holder, as a dry run. */
  async #execute(
    name: string,
    holder: LeaseHolder | undefined,
    onProgress: Required<MigrationOptions>["onProgress"],
  ): Promise<MigrationReport> {
    const { folder, objects, schemas, store, clock, log } = this.#dependencies;
    const fenced = holder ? fencedStore(store, holder) : store;
    const changed = new Map<string, ClassChanges>();
    const startedAt = clock();
    try {
      const hash = await this.#hashOf(name);
      const migrate = await importMigration(join(folder, name), hash);
      await migrate({
        objects: createMigrationObjects({
          objects,
          schemas,
          store: fenced,
          isDryRun: holder === undefined,
          changed,
          onWritten: (count) => onProgress(name, count),
        }),
        log,
      });
      if (holder) {
        const changes = Object.fromEntries(
          [...changed].map(([className, counts]) => [className, countsOf(counts)]),
        );
        const durationMs = clock() - startedAt;
        const fields = { name, hash, durationMs, changes, ACL: {} };
        await fenced.write([createRow(schemas.require(MIGRATION_CLASS), newObjectId(), clock(), fields)]);
        log.info("a migration has run", { name, durationMs, changes });
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`The migration ${name} failed: ${reason}`, { cause: error });
    }
    return { name, changes: Object.fromEntries(changed) };
  }

  #logProgress(): Required<MigrationOptions>["onProgress"] {
    const { clock, log } = this.#dependencies;
    let nextAt = clock() + LOG_INTERVAL_MS;
    return (name, count) => {
      if (clock() < nextAt) return;
      nextAt = clock() + LOG_INTERVAL_MS;
      log.info("a migration is running", { name, writtenObjects: count });
    };
  }

  async #hashOf(name: string): Promise<string> {
    return createHash("sha256")
      .update(await readFile(join(this.#dependencies.folder, name)))
      .digest("hex");
  }
}

function countsOf({ created, updated, removed }: ClassChanges): JsonObject {
  return { created, updated, removed };
}

/** Imports a file of this content, also where the process has imported another content of it before. */
async function importMigration(path: string, hash: string): Promise<Migration> {
  const imported: unknown = await import(`${pathToFileURL(path).href}?${hash}`);
  const migrate = isRecord(imported) ? imported.default : undefined;
  if (isMigration(migrate)) return migrate;
  throw new Error("its default export must be a function of { objects, log }");
}

function isMigration(value: unknown): value is Migration {
  return typeof value === "function";
}
