import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";

/*
 * Checks the integrity of a whole database in a worker thread, since that may take minutes. Posts a description of the
 * problem, or an empty text.
 */

const { file, layout }: { file: string; layout: number } = workerData;
parentPort?.postMessage(findProblem());

function findProblem(): string {
  let database: Database.Database;
  try {
    database = new Database(file, { readonly: true, fileMustExist: true });
  } catch {
    return `${file} is not a database`;
  }
  try {
    const problems = database.pragma("integrity_check", { simple: true });
    if (problems !== "ok") throw new Error(String(problems));
    const version = Number(database.pragma("user_version", { simple: true }));
    if (version > layout) throw new Error(`it was written by a newer Purse (layout ${version})`);
    if (version === 0) throw new Error("it is not a database of Purse");
    return "";
  } catch (error) {
    return `${file} cannot be used: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    database.close();
  }
}
