import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectAccessible } from "../support/accessibility.ts";
import { STUDIO_VIEWS } from "../support/appPages.ts";
import { expectNoErrors, expectSilent } from "../support/browser.ts";
import { createChainClient } from "../support/chainClient.ts";
import { problemsOnPages, tabsApart } from "../support/pageChecks.ts";
import { observeLoads, shiftProblems } from "../support/pageLoad.ts";
import { envelope, hostPurse, rest } from "../support/purse.ts";
import { hostSite } from "../support/site.ts";
import { sessionCookies, setUpStudio, signInToStudio } from "../support/studio.ts";
import { serveStudio } from "../support/studioApp.ts";
import { startWebhookReceiver } from "../support/webhookReceiver.ts";

const CODE = `
Parse.Cloud.define("greet", ({ params, log }) => {
  log.info("greets somebody", { name: params.name });
  return { hello: params.name };
});
Parse.Cloud.define("fails", () => { throw new Error("as it should"); });
Parse.Cloud.job("count", ({ params, message }) => { message("counted to " + params.to); });
`;
const DEX = resolve(import.meta.dirname, "../../plugins/dex/dex.ts");
const MASTER = { useMasterKey: true };
/** The titles of all pages, that of functions with one of the cloud code. */
const TITLES: ReadonlyMap<string, string> = new Map(
  STUDIO_VIEWS.map(([path, title]) => [path === "/functions" ? "/functions?function=greet" : path, title]),
);
const PAGES = tabsApart([...TITLES.keys()]);
const FOR_OWNERS: ReadonlyMap<string, string> = new Map([
  ["/backup", "Only owners can manage backups"],
  ["/audit", "Only owners can view the audit log"],
]);

let folder: string;
let hookServer: Server;
let hookUrl: string;
let hookAnswer = '{"success":"from elsewhere"}';

const studio = serveStudio(async () => {
  folder = await mkdtemp(join(tmpdir(), "purse-rooms-"));
  await writeFile(join(folder, "main.js"), CODE);
  const config = join(folder, "purse.config.ts");
  await writeFile(config, `export default { plugins: [${JSON.stringify(DEX)}] };`);
  const env = {
    PURSE_CONFIG: config,
    PURSE_CLOUD: join(folder, "main.js"),
    PURSE_ALLOW_PRIVATE_HOOKS: "1",
  };
  return hostSite({ devChain: true, env });
});
beforeAll(async () => {
  hookServer = createServer((_, response) => response.end(hookAnswer)).listen(0, "127.0.0.1");
  await once(hookServer, "listening");
  const address = hookServer.address();
  if (address === null || typeof address === "string") throw new Error("The hook server has no port.");
  hookUrl = `http://127.0.0.1:${address.port}/hook`;
});
afterAll(async () => {
  hookServer?.close();
  await rm(folder, { recursive: true, force: true });
});

const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const dialog = (page: Page) => page.getByRole("dialog");
const said = (page: Page, text: string) => page.getByText(text).first().waitFor();

describe("an editor in the studio", () => {
  it("runs a function and sees its result, log, duration and trace ID", async () => {
    const visitor = await studio.open("edith", "/functions");
    const { page } = visitor;
    await page.getByRole("button", { name: "greet", exact: true }).click();
    await page.getByLabel("Parameters").fill('{"name": "Ada"');
    await page.getByText("Invalid JSON").waitFor();
    await page.getByLabel("Parameters").fill('{"name": "Ada"}');
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const result = card(page, "Result");
    await result.getByText('"hello": "Ada"').waitFor();
    await result.getByText("greets somebody").waitFor();
    await result.getByRole("region", { name: "Trace ID" }).waitFor();
    await page.reload();
    await card(page, "Recent runs").getByText('{"name": "Ada"}').waitFor();
    await page.getByRole("button", { name: "fails", exact: true }).click();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await card(page, "Result").getByText("as it should").waitFor();
    expectNoErrors(visitor);
  });

  it("calls a function by REST and runs a GraphQL query in the console, with both in the history", async () => {
    const visitor = await studio.open("edith", "/console?show=functions&function=greet");
    const { page } = visitor;
    await page.getByLabel("Body").fill('{"name": "Joan"}');
    await page.getByRole("button", { name: "Send request" }).click();
    await card(page, "Response").getByText('"hello": "Joan"').waitFor();
    await card(page, "Response").getByText("Status 200").waitFor();
    await card(page, "History").getByText("POST /functions/greet").waitFor();
    await page.getByRole("tab", { name: "GraphQL" }).click();
    await page.getByLabel("Search schema").fill("health");
    await page.getByRole("button", { name: "health", exact: true }).click();
    await page.getByRole("button", { name: "Run query" }).click();
    await card(page, "Response").getByText('"health": true').waitFor();
    await page.getByText("Copy as code").click();
    await page.getByRole("region", { name: "curl" }).getByText("$MASTER_KEY").waitFor();
    expectNoErrors(visitor);
  });

  it("runs scripts with the SDK, shows values as trees and errors with lines, and stops an endless script", async () => {
    const visitor = await studio.open("edith", "/console?show=script");
    const { page } = visitor;
    const script = page.getByRole("textbox", { name: "Script" });
    const output = page.getByRole("list", { name: "Output" });
    await script.fill(`const made = new Parse.Object("ScriptNote");
await made.save({ title: "Tea", tags: ["hot"] });
console.log("saved", made);
const found = await new Parse.Query("ScriptNote").find();
found.length`);
    await page.getByRole("button", { name: "Run script" }).click();
    await output.getByText("1", { exact: true }).waitFor();
    await output.getByText(/^ScriptNote \w+$/).click();
    await output.getByText("tags: Array(1)").click();
    await output.getByText('0: "hot"').waitFor();
    await expectAccessible(page);
    await script.fill("found[0].get('title')");
    await script.press("Control+Enter");
    await output.getByText("Tea", { exact: true }).waitFor();
    await script.fill("const a = 1;\nnull.b");
    await script.press("Control+Enter");
    await output.getByText(/^TypeError: .*\s+at script\.js:2:\d+$/).waitFor();
    await script.fill("await new Parse.Schema('ScriptNote').delete()");
    await script.press("Control+Enter");
    await output.getByText(/Deleting this requires the role owner/).waitFor();
    await script.fill("for (;;) {}");
    await page.getByRole("button", { name: "Run script" }).click();
    await page.getByRole("button", { name: "Stop script" }).click();
    await script.fill("typeof found");
    await page.getByRole("button", { name: "Run script" }).click();
    await output.getByText("undefined", { exact: true }).waitFor();
    await card(page, "History").getByText("for (;;) {}").waitFor();
    await page.getByRole("button", { name: "Clear output" }).click();
    await page.getByText("No output yet").waitFor();
    expectNoErrors(visitor);
  });

  it("keeps scripts away from its session, its document and the network", async () => {
    const { page } = await studio.open("edith", "/console?show=script");
    const script = page.getByRole("textbox", { name: "Script" });
    const output = page.getByRole("list", { name: "Output" });
    const run = async (code: string) => {
      await script.fill(code);
      await page.getByRole("button", { name: "Run script" }).click();
    };
    await run("'ready'");
    await output.getByText("ready", { exact: true }).waitFor();
    const requested: string[] = [];
    page.on("response", (response) => requested.push(response.url()));
    await run(`const attempts = {
  cookie: () => document.cookie,
  storage: () => indexedDB.open("a").onsuccess.name,
  studio: () => fetch("${studio.purse.url}/studio/api/state?script"),
  elsewhere: () => fetch("https://example.org/?script"),
  socket: () => new Promise((resolve, reject) => {
    const socket = new WebSocket("${studio.purse.url.replace("http", "ws")}/server");
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error("closed"));
  }),
  module: () => import("${studio.purse.url}/theme.js?script"),
  script: () => importScripts("${studio.purse.url}/theme.js?script"),
};
const succeeded = [];
for (const [name, attempt] of Object.entries(attempts))
  try { await attempt(); succeeded.push(name); } catch {}
"succeeded: " + succeeded.join() + ", origin: " + self.origin`);
    await output.getByText("succeeded: , origin: null").waitFor();
    // A script can send whatever it wants to the studio, which sends it to the Parse API as the operator.
    await run(`const { postMessage } = MessagePort.prototype;
MessagePort.prototype.postMessage = function (message) {
  const path = "/../studio/api/operators";
  postMessage.call(this, message.type === "request" ? { ...message, path, url: path, as: "anonymous" } : message);
};
await new Parse.Query("_User").find().catch((error) => "refused: " + error.message)`);
    await output.getByText(/^refused: /).waitFor();
    expect(requested).toContain(`${studio.purse.url}/studio/api/console/requests`);
    expect(requested.filter((url) => /\?script|\/operators/.test(url))).toEqual([]);
    const frame = page.frames().find((each) => each.url().endsWith("/studio/script-sandbox"));
    const reached = await frame?.evaluate(() => {
      const attempts = [
        () => document.cookie,
        () => localStorage.length,
        () => Object(window.parent).document.title,
        () => window.frameElement,
      ];
      return attempts.map((attempt) => {
        try {
          return attempt();
        } catch {
          return null;
        }
      });
    });
    expect(reached).toEqual([null, null, null, null]);
    const audit = await studio.owner.request("GET", "/audit");
    expect(audit.text).toContain("GET /../studio/api/operators");
  });

  it("follows, filters and pauses the log", async () => {
    const visitor = await studio.open("edith", "/logs?text=greets");
    const { page } = visitor;
    await page.getByText("Live", { exact: true }).waitFor();
    await studio.owner.request("POST", "/functions/greet", { params: { name: "Grace" } });
    const lines = page.getByRole("list", { name: "Log entries" });
    await lines.getByText('"name":"Grace"').waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await studio.owner.request("POST", "/functions/greet", { params: { name: "Hedy" } });
    await page.getByText("1 new entry since you paused").waitFor();
    expect(await lines.getByText("Hedy").count()).toBe(0);
    await page.getByRole("button", { name: "Resume" }).click();
    await lines.getByText("Hedy").waitFor();
    await lines.getByRole("button").last().click();
    await expect.poll(() => new URL(page.url()).searchParams.get("request")).toBeTruthy();
    await expect.poll(() => lines.getByRole("listitem").count()).toBe(1);
    expectNoErrors(visitor);
  });

  it("runs a job, schedules it, edits the schedule and deletes it", async () => {
    const visitor = await studio.open("edith", "/jobs");
    const { page } = visitor;
    await page.getByRole("button", { name: "Run count now" }).click();
    await dialog(page).getByLabel("Parameters").fill('{"to": 3}');
    await dialog(page).getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("region", { name: "History" }).getByText("counted to 3").first().waitFor();
    await page.getByRole("button", { name: "Schedule a job" }).click();
    await dialog(page).getByLabel("When").fill("never");
    await dialog(page).getByRole("button", { name: "Schedule", exact: true }).click();
    await dialog(page)
      .getByText("is not a cron expression")
      .or(dialog(page).getByRole("alert"))
      .first()
      .waitFor();
    await dialog(page).getByLabel("When").fill("0 4 * * *");
    await dialog(page).getByRole("button", { name: "Schedule", exact: true }).click();
    await page.getByText("0 4 * * *").waitFor();
    await page.getByRole("button", { name: "Edit schedule of count" }).click();
    await dialog(page).getByLabel("When").fill("0 5 * * *");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await page.getByText("0 5 * * *").waitFor();
    await page.getByRole("button", { name: "Remove schedule of count" }).click();
    await dialog(page).getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("No schedules yet").waitFor();
  });

  it("adds a webhook, sees its request and response, and replays it", async () => {
    const { page } = await studio.open("edith", "/hooks");
    await page.getByRole("button", { name: "Add hook" }).click();
    await dialog(page).getByLabel("Function name").fill("elsewhere");
    await dialog(page).getByLabel("URL").fill(hookUrl);
    await dialog(page).getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("cell", { name: "elsewhere", exact: true }).waitFor();
    const call = { password: "hunter2", question: "well?" };
    expect((await rest(studio.purse, "POST", "/functions/elsewhere", call)).body.result).toBe(
      "from elsewhere",
    );
    await page.getByRole("tab", { name: "Calls" }).click();
    await page.getByRole("button", { name: "Show call of elsewhere" }).click();
    await dialog(page).getByText('"question": "well?"').waitFor();
    expect(await dialog(page).getByText("hunter2").count()).toBe(0);
    hookAnswer = "not what was expected";
    await dialog(page).getByRole("button", { name: "Replay" }).click();
    const answer = dialog(page).getByRole("region", { name: "Replay response" }).first();
    await answer.getByText("not what was expected").waitFor();
    hookAnswer = '{"success":"from elsewhere"}';
    await page.keyboard.press("Escape");
    await page.getByRole("combobox", { name: "Result" }).click();
    await page.getByRole("option", { name: "Failed" }).click();
    await page.getByRole("row").filter({ hasText: "Replay" }).waitFor();
    await page.getByRole("tab", { name: "Functions and triggers" }).click();
    await page.getByRole("button", { name: "Remove elsewhere" }).click();
    await dialog(page).getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("No hooks yet").waitFor();
  });

  it("composes a push, sees the number of recipients, and why it cannot be sent", async () => {
    for (const [installationId, deviceToken] of [
      ["one", "a".repeat(64)],
      ["two", undefined],
    ]) {
      await rest(
        studio.purse,
        "POST",
        "/installations",
        { installationId, deviceType: "ios", deviceToken },
        MASTER,
      );
    }
    const { page } = await studio.open("edith", "/push");
    await page.getByText("2 devices, 1 reachable").waitFor();
    await page.getByLabel("Audience query (_Installation)").fill('{"deviceType": "web"}');
    await page.getByText("0 devices").waitFor();
    await page.getByLabel("Audience query (_Installation)").fill("{}");
    await page.getByLabel("Message").fill("The beans are here");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await dialog(page).getByText("Send to 1 device?").waitFor();
    await dialog(page).getByRole("button", { name: "Send", exact: true }).click();
    await dialog(page).getByRole("alert").waitFor();
    await dialog(page).getByRole("button", { name: "Cancel" }).click();
    expect(await page.getByLabel("Message").inputValue()).toBe("The beans are here");
  });

  it("sends a test mail and reads it in the outbox", async () => {
    const { page } = await studio.open("edith", "/mail");
    await page.getByRole("button", { name: "Send test email" }).click();
    await dialog(page).getByLabel("To").fill("ada@example.org");
    await dialog(page).getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("button", { name: "Open email to ada@example.org" }).click();
    await dialog(page).getByText("Mails of the server").waitFor();
  });

  it("edits a mail template with a preview, and is warned before unsaved changes are lost", async () => {
    const visitor = await studio.open("edith", "/mail?show=templates");
    const { page } = visitor;
    await page.getByRole("button", { name: "Password reset" }).click();
    const editor = card(page, "Password reset");
    const preview = card(page, "Preview");
    await editor.getByLabel("Subject").fill("Your key to {{appName}}");
    await preview.getByText("Your key to Purse").waitFor();
    await editor.getByLabel("Text", { exact: true }).fill("Hello {{name}}");
    await editor.getByText("There is no {{name}}").waitFor();
    await editor.getByLabel("Text", { exact: true }).fill("Hello {{username}}");
    await editor.getByText("{{link}} is missing from the").waitFor();
    await expect
      .poll(() => editor.getByRole("button", { name: "Save", exact: true }).isDisabled())
      .toBe(true);
    await editor.getByLabel("Text", { exact: true }).fill("Hello {{username}}: {{link}}");
    await editor
      .getByLabel("HTML")
      .fill('<a href="{{link}}">Hello</a><script>window.top.broken = 1</script>');
    await preview.frameLocator("iframe").getByText("Hello").waitFor();
    await preview.getByRole("tab", { name: "Text" }).click();
    await preview.getByText("Hello ada: https://").waitFor();

    await page.getByRole("link", { name: "Config" }).click();
    await page.getByRole("button", { name: "Keep editing" }).click();
    expect(await editor.getByLabel("Subject").inputValue()).toBe("Your key to {{appName}}");
    await editor.getByRole("button", { name: "Save", exact: true }).click();
    await editor.getByText("Edited by edith").waitFor();
    await editor.getByRole("button", { name: "Send test" }).click();
    await dialog(page).getByLabel("To").fill("edith@example.org");
    await dialog(page).getByRole("button", { name: "Send", exact: true }).click();
    await editor.getByRole("button", { name: "Reset to default" }).click();
    await dialog(page).getByRole("button", { name: "Reset" }).click();
    await editor.getByText("Default template").waitFor();
    await page.getByRole("tab", { name: "Outbox" }).click();
    await page.getByRole("button", { name: "Open email to edith@example.org" }).first().click();
    await dialog(page).getByRole("link", { name: "https://example.org/a-test" }).waitFor();
    // The preview frame blocks the script of a mail, and the browser logs it.
    expect(visitor.errors.filter((error) => !/sandboxed|Blocked script/.test(error))).toEqual([]);
  });

  it("tries a function of a bundled plugin, and sees the transaction that it returns for a wallet", async () => {
    const hand = await createChainClient(studio.purse);
    const { page } = await studio.open("edith", "/plugins");
    await page.getByText("plugins/dex/dex.ts").waitFor();
    await page.getByText("await Moralis.Plugins.dex.quote({ … });").waitFor();
    const order = {
      chain: "0x539",
      fromTokenAddress: `0x${"e".repeat(40)}`,
      toTokenAddress: hand.token,
      amount: "100000000000000000",
    };
    await page.getByLabel("Parameters").fill(JSON.stringify(order));
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await card(page, "Result").getByText('"exchange": "Uniswap v2"').waitFor();
    await page.getByRole("button", { name: "swap", exact: true }).click();
    await page.getByLabel("Parameters").fill(JSON.stringify({ ...order, fromAddress: hand.account(4) }));
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await card(page, "Result").getByText("the studio does not").waitFor();
    await card(page, "Result").getByText("web3Transaction", { exact: true }).waitFor();
  });

  it("is warned before unsaved changes of a class are lost, and copies code for it", async () => {
    await studio.owner.request("POST", "/schema/classes/Coffee", {
      edit: { fields: { strength: { type: "Number" } } },
    });
    const { page } = await studio.open("edith", "/classes?class=Coffee");
    await page.getByText('new Query("Coffee")').waitFor();
    await page.getByRole("button", { name: "Add field" }).click();
    await dialog(page).getByLabel("Name").fill("origin");
    await dialog(page).getByRole("button", { name: /^Add/ }).click();
    await page.getByText("1 pending change").waitFor();
    await page.getByRole("tab", { name: "Code" }).click();
    await page.getByText("export type Coffee = purse.ParseObject<{").waitFor();
    await page.getByRole("tab", { name: "Fields and indexes" }).click();
    await page.getByText("1 pending change").waitFor();
    await page.getByRole("link", { name: "Config" }).click();
    await page.getByRole("button", { name: "Keep editing" }).click();
    await page.getByText("1 pending change").waitFor();
    await page.getByRole("link", { name: "Config" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Discard" }).click();
    await page.getByRole("heading", { level: 1, name: "Config" }).waitFor();
  });

  it("deletes a file, and pins and unpins IPFS content", async () => {
    const saved = await envelope(studio.purse, "/files/hello.txt", {
      base64: Buffer.from("hello").toString("base64"),
      _ContentType: "text/plain",
      _MasterKey: studio.purse.masterKey,
      fileData: { ipfs: true },
    });
    expect(saved.status).toBe(201);
    const { page } = await studio.open("edith", "/files");
    await page.getByRole("link", { name: "hello.txt" }).waitFor();
    await page.getByRole("button", { name: "Delete hello.txt" }).click();
    await dialog(page).getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("No files yet").waitFor();
    await page.getByRole("tab", { name: "Pinned in IPFS" }).click();
    await page.getByRole("button", { name: "Pin CID" }).click();
    await dialog(page).getByLabel("CID").fill("nothing");
    await dialog(page).getByRole("button", { name: "Pin CID", exact: true }).click();
    await dialog(page).getByRole("alert").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("alertdialog").getByRole("button", { name: "Discard" }).click();
    await page.getByRole("button", { name: /^Unpin / }).click();
    await dialog(page).getByRole("button", { name: "Unpin", exact: true }).click();
    await page.getByText("No pins yet").waitFor();
  });

  it("sees the status of chains and nodes, and manages event listeners", async () => {
    const { page } = await studio.open("edith", "/chains");
    await page.getByText("100% indexed").waitFor();
    await page.getByText("Healthy", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Add listener" }).click();
    await dialog(page).getByLabel("Contract address").fill("0x12");
    await dialog(page).getByText("Invalid address").waitFor();
    await dialog(page)
      .getByLabel("Contract address")
      .fill(`0x${"12".repeat(20)}`);
    await dialog(page).getByLabel("Target class").fill("Transfers");
    await dialog(page).getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("link", { name: "Transfers" }).waitFor();
    await page.getByRole("button", { name: /^Edit listener/ }).click();
    await dialog(page).getByLabel("Target class").fill("Moves");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: "Moves" }).waitFor();
    // A hovered toast would stay and cover the button.
    await page.mouse.move(0, 0);
    await page.getByRole("button", { name: /^Remove listener/ }).click();
    await dialog(page).getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("No listeners yet").waitFor();
  });

  it("stores chain events as objects", async () => {
    const hand = await createChainClient(studio.purse);
    const tableName = "Moved";
    const { page } = await studio.open("edith", "/chains");
    await page.getByRole("button", { name: "Add listener" }).click();
    await dialog(page).getByLabel("Contract address").fill(hand.token);
    await dialog(page).getByLabel("Target class").fill(tableName);
    await dialog(page).getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("link", { name: tableName }).waitFor();
    await hand.transferToken(0, hand.account(7), 1_234n);
    const moved = async () =>
      (await rest(studio.purse, "GET", `/classes/${tableName}?order=-createdAt&limit=1`, undefined, MASTER))
        .body;
    await expect.poll(moved, { timeout: 20_000 }).toMatchObject({ results: [{ value: "1234" }] });
    await page.getByRole("link", { name: tableName }).click();
    await page.getByRole("heading", { level: 1, name: "Data" }).waitFor();
    await page.getByRole("grid").waitFor();
  });

  it("sees the counters and latest deliveries of a stream, resends one, and pauses the stream", async () => {
    const hand = await createChainClient(studio.purse);
    const receiver = await startWebhookReceiver();
    const api = async (method: string, path: string, body: object) => {
      const headers = { "content-type": "application/json", "x-api-key": studio.purse.masterKey };
      const options = { method, headers, body: JSON.stringify(body) };
      return (await fetch(`${studio.purse.url}/api/v2/streams/evm${path}`, options)).json();
    };
    try {
      const { id } = await api("PUT", "", {
        webhookUrl: receiver.url,
        description: "Deposits",
        chainIds: ["0x539"],
        topic0: ["Transfer(address,address,uint256)"],
      });
      await api("POST", `/${id}/address`, { address: hand.account(6) });
      await hand.transferToken(0, hand.account(6), 77n);
      await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(2);
      const visitor = await studio.open("edith", "/chains");
      const { page } = visitor;
      await page.getByRole("button", { name: "Show stream Deposits" }).click();
      await dialog(page)
        .getByRole("button", { name: /^Resend block/ })
        .waitFor();
      await expectAccessible(page);
      await dialog(page)
        .getByRole("button", { name: /^Resend block/ })
        .click();
      await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(3);
      await dialog(page).getByRole("button", { name: "Pause", exact: true }).click();
      await dialog(page).getByText("Paused", { exact: true }).waitFor();
      await dialog(page).getByRole("button", { name: "Resume", exact: true }).click();
      await dialog(page).getByText("Active", { exact: true }).waitFor();
      expectNoErrors(visitor);
    } finally {
      await receiver.close();
    }
  });

  it("sees nodes and wallets of a chain that indexes known wallets only, and adds a wallet", async () => {
    const env = {
      PURSE_CHAIN_ETH_RPC_URL: `${studio.purse.rpcUrl},http://127.0.0.1:9`,
      PURSE_CHAIN_ETH_ID: "1337",
      PURSE_CHAIN_ETH_SCOPE: "wallets",
    };
    const other = await hostPurse({ env });
    try {
      await setUpStudio(other);
      const { page, close } = await studio.openWindow();
      await signInToStudio(page, other, "ada", "/chains");
      await page.getByText("Token activity of indexed wallets").waitFor();
      await page.getByRole("cell", { name: "127.0.0.1:9", exact: true }).waitFor();
      await page.getByLabel("Add address").fill("0x12");
      await page.getByText("Invalid address").waitFor();
      await page.getByLabel("Add address").fill(`0x${"ab".repeat(20)}`);
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("1 indexed wallet").waitFor();
      await page.getByRole("cell", { name: `0x${"ab".repeat(20)}` }).waitFor();
      await close();
    } finally {
      await other.remove();
    }
  }, 120_000);
});

describe("an owner in the studio", () => {
  it("creates an API key, which is shown once, sees its use, and revokes it", async () => {
    const { page } = await studio.open("ada", "/keys");
    await page.getByRole("button", { name: "Create API key" }).click();
    await dialog(page).getByLabel("Name").fill("shop");
    await dialog(page).getByLabel("Requests per minute").fill("100");
    await dialog(page).getByRole("button", { name: "Create" }).click();
    const key = (await dialog(page).getByRole("region", { name: "API key" }).innerText()).trim();
    await page.keyboard.press("Escape");
    await said(page, "0 of 100");
    expect(await page.getByText(key).count()).toBe(0);
    const requested = await fetch(`${studio.purse.url}/api/v2/info/endpointWeights`, {
      headers: { "x-api-key": key },
    });
    expect(requested.status).toBe(200);
    await said(page, "1 of 100");
    await page.reload();
    await said(page, "1 request in the last 48 hours");
    await page.getByRole("button", { name: "Revoke shop" }).click();
    await dialog(page).getByRole("button", { name: "Revoke", exact: true }).click();
    await said(page, "Revoked");
  });

  it("sees the status of the server, also on a phone", async () => {
    const visitor = await studio.open("ada", "", { viewport: { width: 390, height: 844 } });
    const { page } = visitor;
    await page.getByRole("slider", { name: "Requests/s" }).or(page.getByText("Not enough")).first().waitFor();
    await page.getByText("Synced").first().waitFor();
    const { scroll, width } = await page.evaluate(() => ({
      scroll: document.documentElement.scrollWidth,
      width: window.innerWidth,
    }));
    expect(scroll).toBeLessThanOrEqual(width);
    expectNoErrors(visitor);
  });
});

/** Buttons that change nothing: they view, filter, navigate, or send requests that read. */
const LOOKING =
  /^((get|find|count|create|update|delete)(yes|no)?$|Send request|Run query|Show|Open|Copy|Search|Pause|Resume|More|Operator|Columns|Filter|View|Refresh|Export|Explain|Chart|Saved views|Try again|Clear|Reuse|[0-9a-f-]{8,})/;

/** Visits pages through their links, one after another, each once it has loaded. */
async function* visitPages(page: Page, paths: readonly string[]): AsyncGenerator<string> {
  let before = "";
  for (const path of paths) {
    const url = `${studio.purse.url}/studio${path}`;
    const title = TITLES.get(path) ?? "";
    // Another tab of the current page looks the same until it has loaded.
    if (title === before) await page.goto(url);
    else await page.evaluate((to) => window.history.pushState({}, "", to), url);
    before = title;
    await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    await expect.poll(() => page.locator("main .skeleton").count()).toBe(0);
    yield path || "/";
  }
}

describe("a read-only operator in the studio", () => {
  it("sees every page and no enabled button that changes something", async () => {
    const visitor = await studio.open("guest");
    const { page } = visitor;
    for await (const path of visitPages(page, PAGES)) {
      const pressable = await page
        .locator("main button:enabled:not([role=tab]):not([role=combobox]):not(.pick):not([role=grid] *)")
        .evaluateAll((buttons) =>
          buttons.map((button) => button.getAttribute("aria-label") ?? button.textContent?.trim() ?? ""),
        );
      // Only their own password can be changed.
      const isOwn = path.startsWith("/operators");
      expect(
        pressable.filter((name) => !LOOKING.test(name) && !isOwn),
        path,
      ).toEqual([]);
    }
    expectNoErrors(visitor);
  }, 120_000);
});

describe("an editor on pages of the studio", () => {
  it("sees no error and no layout shift on a phone, and a notice on pages for owners only", async () => {
    const visitor = await studio.open("edith", "", { viewport: { width: 390, height: 844 } });
    const { page } = visitor;
    await observeLoads(page);
    await page.reload();
    for await (const path of visitPages(page, PAGES)) {
      expect(await shiftProblems(page), path).toEqual([]);
      const notice = FOR_OWNERS.get(path);
      if (notice !== undefined) await page.getByText(notice).waitFor();
    }
    expectSilent(visitor);
  }, 120_000);
});

/** Names of classes and values of parameters that the tests above have created, which are not translated. */
const OF_DATA =
  /not translated: <\w+> (Coffee|Moved|Moves|ScriptNote|Transfers) \(|cut off: <code class="cut"> welcome:/;

describe("every page of the studio", () => {
  it("is accessible, stable, fits phones, zoomed and wide windows, and has no console messages and untranslated texts", async () => {
    const problems = await problemsOnPages({
      url: `${studio.purse.url}/studio`,
      paths: PAGES,
      openWindow: async () => {
        const visitor = await studio.openWindow();
        await visitor.page.context().addCookies(await sessionCookies(studio.purse, "ada"));
        return visitor;
      },
    });
    expect(problems.filter((problem) => !OF_DATA.test(problem))).toEqual([]);
  }, 240_000);
});
