/*
 * Runs the integration tests of Parse's JavaScript SDK against Purse:
 *   npm run interop:sdk -- --checkout ../Parse-SDK-JS [--database postgres] [--only ParseUser,ParseQuery] [--name "test title"] [--verbose]
 * The checkout is one of github.com/parse-community/Parse-SDK-JS; the SDK itself is the published version that the
 * checkout names, built by its own scripts. Prints what failed, and a table that counts by file;
 * `.cache/parse-sdk-specs/results` has the results as JSON.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ensureChromium } from "../../../scripts/chromium.mjs";
import { freePort } from "../../support/freePort.ts";
import { installPackages, readSpecOptions, runSpecs } from "../parseServerSpecs/specRun.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const WORK = join(ROOT, ".cache/parse-sdk-specs");
const TESTS = join(WORK, "integration/test");
/** Where the tests expect the module `parse-server`, which they start themselves. */
const SERVER_MODULE = join(WORK, "integration/node_modules/parse-server");
const TEST_PORT = "1337";
/** A file of the internet that tests upload. */
const PICTURE = /https?:\/\/raw\.githubusercontent\.com\/[^'"]*/g;
const TEST_PACKAGES = ["jasmine", "jasmine-spec-reporter", "puppeteer"];

const options = readSpecOptions("integration/test");
const port = await freePort();
install(options.checkout, port);
await runSpecs(
  {
    folder: WORK,
    files: readdirSync(TESTS)
      .filter((file) => file.endsWith("Test.js"))
      .map((file) => file.slice(0, -"Test.js".length)),
    pathOf: (file) => `integration/test/${file}Test.js`,
    setup: "integration/setup.js",
    masterKey: "notsosecret",
    port,
    env: { TESTING: "1", PUPPETEER_EXECUTABLE_PATH: browserCommand() },
  },
  options,
);

/** Copies the tests into a folder of their own, with the packages that they need. */
function install(checkout: string, proxyPort: number): void {
  const { version, devDependencies }: { version: string; devDependencies: Record<string, string> } =
    JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
  installPackages(WORK, {
    name: "parse-sdk-specs",
    version,
    dependencies: {
      parse: version,
      ...Object.fromEntries(TEST_PACKAGES.map((name) => [name, devDependencies[name]])),
    },
  });
  for (const built of ["lib", "dist", "node.js", "react-native.js"])
    cpSync(join(WORK, "node_modules/parse", built), join(WORK, built), { recursive: true });
  rmSync(join(WORK, "integration"), { recursive: true, force: true });
  cpSync(join(checkout, "integration"), join(WORK, "integration"), { recursive: true });
  for (const each of readdirSync(TESTS)) {
    if (!each.endsWith(".js")) continue;
    const path = join(TESTS, each);
    const source = readFileSync(path, "utf8").replaceAll(TEST_PORT, String(proxyPort));
    // The browser's test cancels its download, which therefore must not end.
    const picture = each === "ParseDistTest.js" ? "endless.png" : "picture.png";
    writeFileSync(path, source.replaceAll(PICTURE, `http://localhost:${proxyPort}/${picture}`));
  }
  mkdirSync(SERVER_MODULE, { recursive: true });
  const serverModule = JSON.stringify(join(import.meta.dirname, "serverModule.mjs"));
  writeFileSync(join(SERVER_MODULE, "index.js"), `module.exports = require(${serverModule});\n`);
  writeFileSync(
    join(WORK, "integration/setup.js"),
    `require(${serverModule}).prepareSpecs();\nrequire("./test/helper.js");\n`,
  );
}

/** The tests start a browser without the switch that an administrator's needs. */
function browserCommand(): string {
  const command = join(WORK, "chromium");
  writeFileSync(command, `#!/bin/sh\nexec "${ensureChromium()}" --no-sandbox "$@"\n`, { mode: 0o755 });
  return command;
}
