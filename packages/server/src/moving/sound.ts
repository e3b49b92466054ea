import { Worker } from "node:worker_threads";
import { LAYOUT_VERSION } from "../store/sqlite/layout.ts";

/** Rejects where a file is no database of Purse, is damaged, or was written by a newer Purse; says which. */
export async function assertSound(file: string): Promise<void> {
  const worker = new Worker(new URL("./soundThread.ts", import.meta.url), {
    workerData: { file, layout: LAYOUT_VERSION },
  });
  const problem = await new Promise<string>((resolve, reject) => {
    worker.once("message", (text: string) => resolve(text));
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error(`${file} could not be read`)));
  });
  if (problem !== "") throw new Error(problem);
}
