import { Worker } from "node:worker_threads";
import { LAYOUT_VERSION } from "../database/sqlite/migrations.ts";
import { verifyChecksum } from "./backupChecksum.ts";
import { assertSqliteBackup } from "./fileKind.ts";

/**
 * Rejects with the reason if a file is not a Purse database, is damaged, was changed after it was created as a backup, or was
 * written by a newer version.
 */
export async function checkIntegrity(file: string): Promise<void> {
  await assertSqliteBackup(file);
  await verifyChecksum(file);
  const worker = new Worker(new URL("./integrityCheckThread.ts", import.meta.url), {
    workerData: { file, layout: LAYOUT_VERSION },
  });
  const problem = await new Promise<string>((resolve, reject) => {
    worker.once("message", (text: string) => resolve(text));
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error(`${file} could not be read`)));
  });
  if (problem !== "") throw new Error(problem);
}
