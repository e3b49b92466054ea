/*
 * Writes docs/screenshots/demo.webm: a minute with the app and the studio, recorded from a real run. `npm run demo`.
 * The browser's frames are encoded by Debian's ffmpeg, which is installed if it is missing.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Locator, Page } from "playwright-core";
import { ensureProgram } from "../../scripts/programs.mjs";
import { installWallet, launchBrowser, visit } from "../support/browser.ts";
import { rest, startPurse } from "../support/purse.ts";
import { setUpStudio, signInToStudio } from "../support/studio.ts";

const TARGET = resolve(import.meta.dirname, "../../docs/screenshots/demo.webm");
const FFMPEG = "/usr/bin/ffmpeg";
const SIZE = { width: 1280, height: 720 };
const RECIPIENT = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
/** Waiting beyond this is cut, in seconds. */
const MAX_PAUSE_S = 3.2;
/** How long a view stays, in ms. */
const READ_MS = 2_700;
const MAX_BYTES = 3_000_000;

const program = ensureProgram({ paths: [FFMPEG], debianPackage: "ffmpeg" });
if (!program) throw new Error("ffmpeg could not be installed");
const folder = mkdtempSync(join(tmpdir(), "purse-demo-"));
const browser = await launchBrowser();
const purse = await startPurse({ devChain: true, env: { PURSE_APP_ID: "my-app" } });
try {
  await fillClass();
  const { page, close } = await visit(browser, { viewport: SIZE, colorScheme: "light" });
  const frames = await record(page);
  await demonstrate(page);
  await frames.stop();
  await close();
  encode(frames.list());
  const { size } = statSync(TARGET);
  console.log(`${TARGET}: ${Math.round(size / 1_000)} kB, ${Math.round(frames.seconds())} s`);
  if (size > MAX_BYTES) throw new Error(`The recording is larger than ${MAX_BYTES} bytes`);
} finally {
  await browser.close();
  await purse.remove();
  rmSync(folder, { recursive: true, force: true });
}

/** Orders of the last weeks, for the grid and the chart. */
async function fillClass(): Promise<void> {
  const app = { ...purse, appId: "my-app" };
  const requests = Array.from({ length: 48 }, (_, i) => ({
    method: "POST",
    path: "/server/classes/Order",
    body: {
      item: ["Espresso beans", "Filter beans", "Grinder", "Kettle"][(i * 7) % 4],
      city: ["Berlin", "Rome", "Osaka", "Lyon", "Quito"][(i * 3) % 5],
      total: 12 + ((i * 37) % 90),
      isPaid: i % 3 !== 0,
      orderedAt: { __type: "Date", iso: new Date(Date.now() - (48 - i) * 43_200_000).toISOString() },
    },
  }));
  await rest(app, "POST", "/batch", { requests }, { useMasterKey: true });
}

async function demonstrate(page: Page): Promise<void> {
  await installWallet(page, purse, 0, "Field Wallet");
  await page.goto(purse.url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await say(page, "npm start: your own backend with wallets, data and chain index");
  await page.goto(`${purse.url}/sign-in`);
  await say(page, "Sign in with a wallet");
  await press(page.getByRole("button", { name: "Field Wallet" }));
  await press(page.getByRole("button", { name: "Sign in with this wallet" }));
  await page.waitForURL("**/portfolio");
  await page.getByText("Purse Token").first().waitFor();
  await say(page, "The portfolio, indexed by your own server");
  await page.goto(`${purse.url}/send?to=${RECIPIENT}&amount=0.25`);
  await page.getByRole("button", { name: "Review" }).waitFor();
  await say(page, "Send with a simulation before signing");
  await press(page.getByRole("button", { name: "Review" }));
  const send = page.getByRole("button", { name: "Send ETH" });
  await send.waitFor();
  await hold(page);
  await press(send);
  await page.getByRole("heading", { name: "Sent" }).waitFor();
  await say(page, "Followed until it is final");
  await page.goto(`${purse.url}/explorer`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await say(page, "An explorer of the same index");
  await setUpStudio(purse);
  await signInToStudio(page, purse, "ada");
  await page.goto(`${purse.url}/studio/data?class=Order`);
  await page.getByRole("grid").waitFor();
  await say(page, "The studio: every row, live, newest first");
  const head = page.getByRole("columnheader", { name: /^city/ });
  await head.hover();
  await head.getByRole("button", { name: "Filter by city" }).click();
  const filter = page.getByRole("textbox", { name: "Filter by city" });
  await filter.pressSequentially("osa", { delay: 120 });
  await filter.press("Enter");
  await page.getByRole("button", { name: /Remove filter/ }).waitFor();
  await say(page, "Filters in the head of each column");
  const chart = { fn: "sum", field: "total", by: "orderedAt", interval: "day", shape: "line" };
  await page.goto(`${purse.url}/studio/data?class=Order&chart=${encodeURIComponent(JSON.stringify(chart))}`);
  await page.getByRole("slider", { name: /total/ }).waitFor();
  await say(page, "Charts of any number, by time or group");
  await page.goto(`${purse.url}/studio/backup`);
  await page.getByRole("heading", { level: 1, name: "Backup" }).waitFor();
  await press(page.getByRole("button", { name: "Create backup" }));
  await page
    .getByRole("button", { name: /^Restore / })
    .first()
    .waitFor();
  await say(page, "Backups while the server runs, of SQLite and PostgreSQL");
}

/** Shows a caption over the page for a while. */
async function say(page: Page, text: string): Promise<void> {
  await page.evaluate((caption) => {
    const id = "demo-caption";
    const element = document.getElementById(id) ?? document.createElement("div");
    element.id = id;
    element.textContent = caption;
    element.style.cssText =
      "position:fixed;z-index:9999;left:50%;bottom:28px;translate:-50% 0;padding:12px 22px;border-radius:12px;" +
      "background:#17231dee;color:#fff;font:600 20px/1.3 system-ui,sans-serif;max-width:80%;pointer-events:none";
    document.body.append(element);
  }, text);
  await hold(page);
}

async function hold(page: Page): Promise<void> {
  await page.waitForTimeout(READ_MS);
}

/** Presses a button after it has been visible for a moment. */
async function press(button: Locator): Promise<void> {
  await button.hover();
  await button.page().waitForTimeout(500);
  await button.click();
}

/** Records what the page draws, as one picture for each change. */
async function record(page: Page) {
  const session = await page.context().newCDPSession(page);
  const times: number[] = [];
  session.on("Page.screencastFrame", ({ data, metadata, sessionId }) => {
    writeFileSync(join(folder, `${times.length}.jpg`), Buffer.from(data, "base64"));
    times.push(metadata.timestamp ?? Date.now() / 1_000);
    session.send("Page.screencastFrameAck", { sessionId }).catch(() => undefined);
  });
  await session.send("Page.startScreencast", { format: "jpeg", quality: 92, ...{ maxWidth: SIZE.width } });
  const duration = (i: number) =>
    Math.min(MAX_PAUSE_S, Math.max(0.02, (times[i + 1] ?? (times[i] ?? 0) + MAX_PAUSE_S) - (times[i] ?? 0)));
  return {
    async stop() {
      await session.send("Page.stopScreencast");
    },
    /** The input of ffmpeg's concat demuxer. */
    list: () => times.map((_, i) => `file ${i}.jpg\nduration ${duration(i).toFixed(3)}`).join("\n"),
    seconds: () => times.reduce((sum, _, i) => sum + duration(i), 0),
  };
}

function encode(list: string): void {
  const file = join(folder, "frames.txt");
  writeFileSync(file, `${list}\n`);
  const options = [
    ...["-y", "-loglevel", "error", "-f", "concat", "-i", file],
    ...["-vf", `fps=12,scale=${SIZE.width}:${SIZE.height}`, "-pix_fmt", "yuv420p", "-an"],
    ...["-c:v", "libvpx-vp9", "-crf", "40", "-b:v", "0", "-row-mt", "1", "-cpu-used", "4"],
  ];
  const { status } = spawnSync(FFMPEG, [...options, TARGET], { stdio: "inherit" });
  if (status !== 0) throw new Error("ffmpeg failed");
}
