/*
 * Runs the tests that Parse Server has of itself against Purse, over HTTP only:
 *   npm run interop:specs -- --checkout ../parse-server [--database postgres] [--only ParseUser,ParseQuery] [--name "test title"] [--verbose]
 * The checkout is one of github.com/parse-community/parse-server; its package is installed once as the published version
 * that the checkout names. Prints what failed, and a table that counts by file; `results` in
 * `.cache/parse-server-specs-sqlite` or `-postgres` has the results as JSON. A run of all specs writes
 * docs/internals/parse-server-specs.md.
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { freePort } from "../../support/freePort.ts";
import { writeSpecPage } from "./specPage.ts";
import { installPackages, readSpecOptions, runSpecs } from "./specRun.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
/** Files that test modules of Parse Server's process, its command line or MongoDB, and nothing that is visible outside. */
const INTERNAL_FILES: readonly string[] = (
  "AdaptableController AdapterLoader CLI CacheController Client ClientSDK Deprecator EventEmitterPubSub " +
  "GridFSBucketStorageAdapter InMemoryCache InMemoryCacheAdapter Logger LoggerController MongoSchemaCollectionAdapter " +
  "MongoStorageAdapter MongoTransform NullCacheAdapter OAuth1 ParseGraphQLClassNameTransformer ParseLiveQueryRedis " +
  "ParseLiveQueryServer ParsePubSub ParseWebSocket ParseWebSocketServer PostgresConfigParser PostgresInitOptions " +
  "PromiseRouter QueryTools RedisCacheAdapter RedisPubSub SchemaPerformance SessionTokenCache Subscription Utils " +
  "WinstonLoggerAdapter cryptoUtils parsers"
).split(" ");
const MASTER_KEY = "test-master-key";
const MAINTENANCE_KEY = "test-maintenance-key";
const WEBHOOK_KEY = "test-webhook-key";
const SPEC_PACKAGES = ["@apollo/client", "apollo-upload-client", "deep-diff", "form-data", "node-fetch"];
const SPEC_PORT = "8378";
/** The port of the HTTP servers that the GraphQL specs start themselves. */
const APP_PORT = "13377";

const options = readSpecOptions("spec");
/** One for each database, so that both can run at once. */
const folderOf = (database: string) => join(ROOT, `.cache/parse-server-specs-${database}`);
const WORK = folderOf(options.database);
const port = await freePort();
install(options.checkout, port, await freePort());
await runSpecs(
  {
    folder: WORK,
    files: readdirSync(join(WORK, "spec"))
      .filter((file) => file.endsWith(".spec.js"))
      .map((file) => file.slice(0, -".spec.js".length))
      .filter((name) => options.only !== undefined || !INTERNAL_FILES.includes(name)),
    pathOf: (file) => `spec/${file}.spec.js`,
    setup: "spec/helper.js",
    masterKey: MASTER_KEY,
    port,
    env: { PARSE_SERVER_TEST_DB: "postgres" },
  },
  options,
);
if (options.only === undefined && options.title === undefined) {
  const { version }: { version: string } = JSON.parse(readFileSync(join(WORK, "package.json"), "utf8"));
  writeSpecPage(ROOT, version, INTERNAL_FILES, folderOf);
}

/** Copies the specs into a folder of their own, with the packages that they need. */
function install(checkout: string, proxyPort: number, appPort: number): void {
  const { version, devDependencies }: { version: string; devDependencies: Record<string, string> } =
    JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
  for (const folder of ["spec", "src", "views", "public_html"]) {
    rmSync(join(WORK, folder), { recursive: true, force: true });
    if (existsSync(join(checkout, folder)))
      cpSync(join(checkout, folder), join(WORK, folder), { recursive: true });
  }
  const isNew = installPackages(WORK, {
    name: "parse-server-specs",
    version,
    dependencies: {
      "parse-server": version,
      jasmine: devDependencies.jasmine,
      // What specs use beside the server.
      ...Object.fromEntries(
        SPEC_PACKAGES.flatMap((name) => (devDependencies[name] ? [[name, devDependencies[name]]] : [])),
      ),
    },
  });
  if (isNew) cpSync(join(WORK, "node_modules/parse-server/lib"), join(WORK, "lib"), { recursive: true });
  for (const each of readdirSync(join(WORK, "spec"), { recursive: true, encoding: "utf8" })) {
    if (!each.endsWith(".js")) continue;
    const path = join(WORK, "spec", each);
    writeFileSync(path, adapted(readFileSync(path, "utf8"), proxyPort, appPort));
  }
  writeFileSync(
    join(WORK, "spec/helper.js"),
    `require(${JSON.stringify(join(import.meta.dirname, "jasmineHelper.mjs"))});\n`,
  );
}

/** Purse takes no keys of four characters, and the port may be taken. */
function adapted(source: string, proxyPort: number, appPort: number): string {
  return source
    .replaceAll(APP_PORT, String(appPort))
    .replaceAll("require('../')", "require('../lib/index')")
    .replaceAll(SPEC_PORT, String(proxyPort))
    .replace(
      /((?:X-Parse-Master-Key['"]|\bmasterKey|_MasterKey['"]?)\s*[:=]\s*)'test'/gi,
      `$1'${MASTER_KEY}'`,
    )
    .replace(
      /((?:X-Parse-Maintenance-Key['"]|\bmaintenanceKey)\s*[:=]\s*)'test(?:ing|2)'/g,
      `$1'${MAINTENANCE_KEY}'`,
    )
    .replaceAll("'hook'", `'${WEBHOOK_KEY}'`)
    .replaceAll("test:test@", `test:${MASTER_KEY}@`);
}
