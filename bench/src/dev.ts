/*
 * How long an edit takes until it is seen, with `npm run dev`: `npm run bench:dev`. It edits two files of the repository
 * and restores them.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { launchBrowser } from "../../tests/support/browser.ts";
import { freePort } from "../../tests/support/freePort.ts";
import { until } from "../../tests/support/until.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PAGE = join(ROOT, "apps/web/src/pages/home/snippets.ts");
const SERVER = join(ROOT, "packages/server/src/api/serverRoutes.ts");
const RUNS = 3;

const data = mkdtempSync(join(tmpdir(), "purse-dev-"));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const child = spawn(process.execPath, ["scripts/dev.mjs"], {
  cwd: ROOT,
  stdio: ["ignore", "ignore", "inherit"],
  env: { ...process.env, PURSE_PORT: String(port), PURSE_DATA_DIR: data, PURSE_DEV_CHAIN: "0" },
});
const textOf = (path: string) =>
  fetch(url + path).then(
    (response) => response.text(),
    () => "",
  );

/** Replaces a text in a file, and returns how many seconds it takes until a condition is true; then restores the file. */
async function secondsAfter(
  file: string,
  from: string,
  to: string,
  isSeen: () => Promise<boolean>,
): Promise<number> {
  const before = readFileSync(file, "utf8");
  if (!before.includes(from)) throw new Error(`${file} does not have ${from}`);
  try {
    const start = performance.now();
    writeFileSync(file, before.replace(from, to));
    await until(isSeen);
    return (performance.now() - start) / 1_000;
  } finally {
    writeFileSync(file, before);
  }
}

try {
  await until(async () => (await textOf("/health")).includes('"ok"'), { withinMs: 180_000 });
  const browser = await launchBrowser();
  const page = await browser.newPage();
  await page.goto(url);
  const body = () => page.locator("body").innerText();
  await until(async () => (await body()).includes("A small, typed client"), { withinMs: 180_000 });
  for (let run = 1; run <= RUNS; run += 1) {
    const label = `A quick client ${run}`;
    const app = await secondsAfter(PAGE, "A small, typed client", label, async () =>
      (await body()).includes(label),
    );
    await until(async () => (await body()).includes("A small, typed client"));
    const changed = `This description ${run}`;
    const server = await secondsAfter(
      SERVER,
      "This description as an OpenAPI",
      `${changed} as an OpenAPI`,
      async () => (await textOf("/server/openapi.json")).includes(changed),
    );
    await until(
      async () =>
        !(await textOf("/server/openapi.json")).includes(changed) && (await textOf("/health")) !== "",
    );
    console.log(`app ${app.toFixed(1)} s, server ${server.toFixed(1)} s`);
  }
  await browser.close();
} finally {
  child.kill("SIGTERM");
  await new Promise((done) => child.once("exit", done));
  rmSync(data, { recursive: true, force: true, maxRetries: 10 });
}
