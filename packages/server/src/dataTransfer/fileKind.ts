import { open } from "node:fs/promises";

type Kind = "SQLite" | "PostgreSQL";

const SQLITE = "SQLite format 3\0";
const GZIP = Buffer.from([0x1f, 0x8b]);

/** The database of which a file is a backup, by its first bytes; undefined for other files. */
function backupKindOf(head: Buffer): Kind | undefined {
  if (head.subarray(0, SQLITE.length).toString("latin1") === SQLITE) return "SQLite";
  return head.subarray(0, GZIP.length).equals(GZIP) ? "PostgreSQL" : undefined;
}

/** Throws Error that says what to do if the first bytes are those of a backup of another database or of an export. */
export function assertBackupOf(database: Kind, head: Buffer): void {
  const kind = backupKindOf(head);
  if (kind === database) return;
  if (kind !== undefined)
    throw new Error(
      `It is a backup of ${kind}, and this database is ${database}: restore it into a server with ${kind} (PURSE_DATABASE_URL), and move the data by export and import`,
    );
  if (/^\{"kind":"header"/.test(head.toString("latin1")))
    throw new Error("It is an export, not a backup: import reads it");
}

/** Throws Error that says what to do if a file is a backup of SQLite. Other files are checked when they are read. */
export async function assertSqliteBackup(file: string): Promise<void> {
  assertBackupOf("SQLite", await headOf(file));
}

/** Throws Error that says what to do if a file is a backup and not an export. */
export async function assertExport(file: string): Promise<void> {
  const kind = backupKindOf(await headOf(file));
  if (kind !== undefined) throw new Error(`${file} is a backup of ${kind}, not an export: restore reads it`);
}

async function headOf(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(32), length: 32 });
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
