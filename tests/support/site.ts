import { freePort, isFree } from "./freePort.ts";
import { hostPurse, type Purse, type PurseOptions } from "./purse.ts";

/** The port of the servers that the test files of this process start one after the other. */
let port: number | undefined;

/**
 * Starts the server of a test file, at the address of the earlier ones in this process: the browser finds the code of the
 * app compiled.
 */
export async function hostSite(options: PurseOptions = {}): Promise<Purse> {
  if (port === undefined || !(await isFree(port))) port = await freePort();
  return hostPurse({ cloudCode: true, ...options, port });
}
