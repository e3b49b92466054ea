import { readFileSync } from "node:fs";

/**
 * The resident memory of this process in bytes: what it has allocated, and files that it has mapped (programs, and the
 * pages of a SQLite database that were read), which the system takes back when it needs memory. Empty where the system
 * does not tell.
 */
export function processMemory(): [kind: "allocated" | "mapped", bytes: number][] {
  const status = readStatus();
  const bytes = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0) * 1024;
  const [allocated, mapped] = [bytes("RssAnon"), bytes("RssFile")];
  return allocated === 0
    ? []
    : [
        ["allocated", allocated],
        ["mapped", mapped],
      ];
}

/** Linux's description of this process; empty on other systems. */
function readStatus(): string {
  try {
    return readFileSync("/proc/self/status", "utf8");
  } catch {
    return "";
  }
}
