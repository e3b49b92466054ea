import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A disk in memory that can be full. */
export interface LimitedDisk {
  folder: string;
  /** Leaves no free block. */
  fill(): void;
  /** Undoes `fill`. */
  empty(): void;
  remove(): void;
}

/** Mounts a disk of a size, which requires root. Returns undefined where that is not possible. */
export function limitedDisk(megabytes: number): LimitedDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "purse-disk-"));
  try {
    const options = ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0777`, "purse-test", folder];
    execFileSync("mount", options, { stdio: "ignore" });
  } catch {
    rmdirSync(folder);
    return undefined;
  }
  chmodSync(folder, 0o777);
  const ballast = join(folder, "ballast");
  return {
    folder,
    fill() {
      const { bavail, bsize } = statfsSync(folder);
      try {
        writeFileSync(ballast, Buffer.alloc(bavail * bsize));
        // What others have freed meanwhile.
        for (let i = 0; ; i += 1) writeFileSync(`${ballast}${i}`, Buffer.alloc(bsize));
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
      }
    },
    empty() {
      execFileSync("sh", ["-c", `rm -f -- "$0"*`, ballast]);
    },
    remove() {
      execFileSync("umount", ["--lazy", folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
