import { spawn } from "node:child_process";
import { type AgentName, getUserAgent } from "package-manager-detector";
import { CreateError } from "./createError.ts";

/** The package manager that has started this program (`npm create`, `pnpm create`, …); npm if none has. */
export function packageManager(): AgentName {
  return getUserAgent() ?? "npm";
}

/** Installs the dependencies of a project. Throws CreateError if that fails. */
export async function installDependencies(manager: AgentName, folder: string): Promise<void> {
  const child = spawn(manager, ["install"], {
    cwd: folder,
    stdio: "inherit",
    // On Windows, package managers are scripts.
    shell: process.platform === "win32",
  });
  const code = await new Promise<number | null>((done, fail) => {
    child.once("error", fail);
    child.once("exit", done);
  }).catch(() => null);
  if (code !== 0) throw new CreateError(`${manager} install has failed in ${folder}`);
}
