// Programs of the system that tests use, installed from Debian's packages where that is possible.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Returns the first of these programs that exists; installs the package if none does. Undefined if that is impossible. */
export function ensureProgram(paths, debianPackage) {
  const find = () => paths.find((path) => existsSync(path));
  const found = find();
  if (found || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return found;
  console.log(`Installing ${debianPackage} from Debian's packages …`);
  const quiet = {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  };
  spawnSync("apt-get", ["update", "-qq"], quiet);
  spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", debianPackage], quiet);
  return find();
}
