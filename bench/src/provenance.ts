import { execFileSync } from "node:child_process";
import { cpus, loadavg, totalmem } from "node:os";

/** The line under a table: what made it, of which state of the code, on what machine. */
export function provenance(command: string): string {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  }).trim();
  return `Made by \`${command}\` at commit ${commit} on ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}),
${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.version}, load from the same machine, load average ${loadavg()[0]?.toFixed(1)} at the end.`;
}
