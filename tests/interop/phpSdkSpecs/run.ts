/*
 * Runs the tests of Parse's PHP SDK against Purse:
 *   npm run interop:php -- --checkout ../parse-php-sdk [--database postgres] [--name "test name"] [--verbose]
 * Requires `php` with curl, and `phpunit` (Debian: php-cli, php-curl, php-xml, php-mbstring, phpunit). Prints what
 * failed and a count. Tests that reach hosts of the internet or a server with TLS fail without them.
 */
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import webPush from "web-push";
import { newDatabase, startPostgres } from "../../support/postgresServer.ts";
import { startPurse } from "../../support/purse.ts";
import { readSpecOptions } from "../parseServerSpecs/specRun.ts";

const WORK = join(resolve(import.meta.dirname, "../../.."), ".cache/php-sdk-specs");
/** The server of the tests, its port and mount path. */
const SERVER_URL = /'http:\/\/localhost:1337',\s*'parse'/g;

const { checkout, database, title, verbose } = readSpecOptions("tests/Parse");
const postgres = database === "postgres" ? await startPostgres() : undefined;
try {
  const databaseUrl = postgres && (await newDatabase(postgres.url));
  const purse = await startPurse({
    env: {
      PURSE_CONFIG: writeConfig(),
      PURSE_APP_ID: "app-id-here",
      PURSE_MASTER_KEY: "master-key-here",
      // Tests read the requests in the log.
      PURSE_LOG_LEVEL: "debug",
      ...(databaseUrl !== undefined && { PURSE_DATABASE_URL: databaseUrl }),
    },
  });
  try {
    copyTests(checkout, purse.port);
    process.exitCode = runTests();
  } finally {
    await purse.remove();
  }
} finally {
  await postgres?.stop();
}

function writeConfig(): string {
  rmSync(WORK, { recursive: true, force: true });
  cpSync(join(checkout, "tests"), join(WORK, "tests"), { recursive: true });
  const cloud = join(WORK, "cloud.cjs");
  // One of its functions assigns a variable that it does not declare.
  const source = readFileSync(join(WORK, "tests/cloud-code.js"), "utf8");
  writeFileSync(cloud, `var result;\n${source}`);
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  const config = join(WORK, "purse.config.mjs");
  const upload = { enableForPublic: true, enableForAnonymousUser: true, fileExtensions: ["*"] };
  const options = {
    appName: "MyTestApp",
    restAPIKey: "rest-api-key-here",
    compatibility: "parse",
    cloud,
    enforcePrivateUsers: false,
    fileUpload: { ...upload, enableForAuthenticatedUser: true },
    push: { webPush: { subject: "mailto:test@example.com", publicKey, privateKey } },
  };
  writeFileSync(config, `export default ${JSON.stringify(options)};\n`);
  return config;
}

/** Copies the SDK and its tests, which name their server in the code. */
function copyTests(from: string, port: number): void {
  cpSync(join(from, "src"), join(WORK, "src"), { recursive: true });
  const folder = join(WORK, "tests/Parse");
  for (const file of readdirSync(folder)) {
    const source = readFileSync(join(folder, file), "utf8");
    const own = source
      .replaceAll(SERVER_URL, `'http://localhost:${port}', 'server'`)
      .replaceAll("'http://localhost:1337'", `'http://localhost:${port}'`);
    writeFileSync(join(folder, file), own);
  }
  cpSync(join(import.meta.dirname, "autoload.php"), join(WORK, "vendor/autoload.php"));
  writeFileSync(
    join(WORK, "phpunit.xml"),
    `<?xml version="1.0"?>
<phpunit bootstrap="tests/bootstrap.php"><testsuites><testsuite name="sdk">
<directory suffix="Test.php">tests/Parse</directory></testsuite></testsuites></phpunit>\n`,
  );
}

/** Returns the exit code. */
function runTests(): number {
  const results = join(WORK, "results.xml");
  const filter = title === undefined ? [] : ["--filter", title];
  const args = ["-c", join(WORK, "phpunit.xml"), "--log-junit", results, ...filter];
  const { error, stdout } = spawnSync("phpunit", args, { cwd: WORK, encoding: "utf8", timeout: 20 * 60_000 });
  if (error) {
    console.error(`phpunit could not be started: ${error.message}`);
    return 1;
  }
  if (verbose) console.log(stdout);
  const names = [...stdout.matchAll(/^\d+\) Parse\\Test\\(\S+)\n([^\n]*)/gm)];
  for (const [, name, reason] of names) console.log(`${name}: ${reason}`);
  const suite =
    /<testsuite name="sdk"[^>]* tests="(\d+)"[^>]* errors="(\d+)"[^>]* failures="(\d+)"[^>]* skipped="(\d+)"/.exec(
      readFileSync(results, "utf8"),
    );
  const [tests = 0, errors = 0, failures = 0, skipped = 0] = suite?.slice(1).map(Number) ?? [];
  console.log(
    `${tests - errors - failures - skipped} passed, ${errors + failures} failed, ${skipped} skipped`,
  );
  return tests > 0 ? 0 : 1;
}
