import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser } from "playwright-core";
import { visit } from "../support/browser.ts";
import { savePicture } from "../support/picture.ts";
import { envelope, type Purse, rest, startPurse } from "../support/purse.ts";
import { addOperator, type StudioClient, setUpStudio, signInToStudio } from "../support/studio.ts";

const CODE = `
Parse.Cloud.define("greet", ({ params, log }) => {
  log.info("greets somebody", { name: params.name });
  return { hello: params.name };
});
Parse.Cloud.define("settleOrders", () => 3);
Parse.Cloud.job("nightlyReport", ({ message }) => { message("12 mails"); });
Parse.Cloud.job("breaks", () => { throw "the disk is full"; });
Parse.Cloud.beforeSave("Note", () => {});
`;
const HTML = `<div style="font-family: sans-serif; padding: 24px">
<h1 style="font-size: 20px">Hello {{username}},</h1>
<p>choose a new password for {{appName}}:</p>
<p><a href="{{link}}" style="background: #2f5d3a; color: white; padding: 10px 16px; border-radius: 6px">New password</a></p>
<p style="color: #666">If it was not you, there is nothing to do.</p></div>`;
const TRANSFER = {
  type: "event",
  name: "Transfer",
  inputs: [
    { name: "from", type: "address", indexed: true },
    { name: "to", type: "address", indexed: true },
    { name: "value", type: "uint256", indexed: false },
  ],
};
/** Every page, by the name of its screenshot. */
const PAGES: Readonly<Record<string, string>> = {
  overview: "",
  data: "/data?class=Order&order=-total",
  classes: "/classes?class=Order",
  "classes-code": "/classes?class=Order&show=code",
  permissions: "/permissions?show=class&class=Order",
  question: "/permissions?show=question&class=Order&operation=update",
  roles: "/roles?role=Baristas",
  logs: "/logs",
  functions: "/functions?function=greet",
  console: "/console",
  "console-graphql": "/console?show=graphql",
  jobs: "/jobs",
  hooks: "/hooks?show=calls",
  push: "/push",
  mail: "/mail",
  "mail-templates": "/mail?show=templates&template=passwordReset",
  config: "/config",
  files: "/files",
  plugins: "/plugins",
  chains: "/chains",
  keys: "/keys",
  backup: "/backup",
  operators: "/operators",
  audit: "/audit",
  security: "/security",
};
const LOOKS = [
  { width: 1280, theme: "light" },
  { width: 1280, theme: "dark" },
  { width: 390, theme: "dark" },
] as const;
const DEX = resolve(import.meta.dirname, "../../plugins/dex/dex.ts");

/** Writes `studio-PAGE-WIDTH-THEME.webp` into a folder, as an owner of a server with sample data. */
export async function shootStudio(browser: Browser, target: string, pages = PAGES): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "purse-studio-"));
  writeFileSync(join(folder, "main.js"), CODE);
  const config = join(folder, "purse.config.ts");
  writeFileSync(config, `export default { plugins: [${JSON.stringify(DEX)}] };`);
  const env = { PURSE_CONFIG: config, PURSE_CLOUD: join(folder, "main.js"), PURSE_ALLOW_PRIVATE_HOOKS: "1" };
  const purse = await startPurse({ devChain: true, env });
  try {
    await work(purse, await setUpStudio(purse));
    for (const { width, theme } of LOOKS) {
      const { page, close } = await visit(browser, {
        viewport: { width, height: width > 600 ? 800 : 844 },
        colorScheme: theme,
      });
      await signInToStudio(page, purse, "ada");
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(`${purse.url}/studio${path}`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        if (name === "question") {
          await page.getByRole("combobox", { name: "User" }).fill("grace");
          await page.getByRole("option", { name: "grace" }).waitFor();
          await page.keyboard.press("Enter");
        }
        if (name === "functions") {
          await page.getByLabel("Parameters").fill('{"name": "Ada"}');
          await page.getByRole("button", { name: "Run", exact: true }).click();
          await page.getByRole("region", { name: "Result" }).waitFor();
        }
        if (name === "console" || name === "console-graphql") {
          await page.getByRole("button", { name: /^(?:Send request|Run query)$/ }).click();
          await page.getByRole("region", { name: "Response" }).waitFor();
        }
        await page.waitForTimeout(1_000);
        await savePicture(page, join(target, `studio-${name}-${width}-${theme}.webp`));
        console.log(`studio-${name}-${width}-${theme}.webp`);
        if (name === "data") {
          await page
            .getByRole("button", { name: /^Open / })
            .first()
            .click();
          await page.getByRole("dialog").getByText("updatedAt").waitFor();
          await page.waitForTimeout(500);
          await savePicture(page, join(target, `studio-data-row-${width}-${theme}.webp`));
        }
      }
      await close();
    }
  } finally {
    await purse.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Creates nested roles, one of them with a token gate, and a class with permissions for them. */
async function createUsers(purse: Purse, owner: StudioClient): Promise<void> {
  const master = { useMasterKey: true };
  const user = await rest(purse, "POST", "/users", { username: "grace", password: "correct horse battery" });
  const ids = new Map<string, string>();
  const relation = (className: string, objectIds: string[]) => ({
    __op: "AddRelation",
    objects: objectIds.map((objectId) => ({ __type: "Pointer", className, objectId })),
  });
  const role = async (name: string, inside: string[], fields = {}) => {
    const roles = inside.length > 0 && {
      roles: relation(
        "_Role",
        inside.map((each) => ids.get(each) ?? ""),
      ),
    };
    const { body } = await rest(purse, "POST", "/roles", { name, ACL: {}, ...roles, ...fields }, master);
    ids.set(name, String(body.objectId));
  };
  await role("Owners", []);
  await role("Roasters", ["Owners"], { users: relation("_User", [String(user.body.objectId)]) });
  await role("Baristas", ["Owners"]);
  const gate = { chainId: 1337, token: `0x${"5a".repeat(20)}`, standard: "ERC721" };
  await role("Card holders", [], { gate });
  await role("Staff", ["Roasters", "Baristas"]);
  await role("Regulars", ["Card holders", "Staff"]);
  await owner.request("PUT", "/schema/classes/Order", {
    edit: {
      fields: { buyer: { type: "Pointer", targetClass: "_User" } },
      classLevelPermissions: {
        get: { "role:Staff": true, pointerFields: ["buyer"] },
        find: { "role:Staff": true, pointerFields: ["buyer"] },
        count: { "role:Staff": true },
        create: { requiresAuthentication: true },
        update: { "role:Baristas": true, "role:Roasters": true },
        delete: { "role:Owners": true },
        protectedFields: { "*": ["note"], "role:Staff": [] },
      },
    },
  });
}

async function work(purse: Purse, owner: StudioClient): Promise<void> {
  const requests = Array.from({ length: 40 }, (_, i) => ({
    method: "POST",
    path: "/server/classes/Order",
    body: { total: 12 + i * 3, isPaid: i % 3 > 0, note: i % 4 === 0 ? "Beans, ground" : "Beans" },
  }));
  await rest(purse, "POST", "/batch", { requests }, { useMasterKey: true });
  await createUsers(purse, owner);
  const jobs = ["nightlyReport", "breaks"];
  for (const job of jobs) await owner.request("POST", `/jobs/${job}/run`, {});
  const schedule = { jobName: "nightlyReport", cron: "0 3 * * *", description: "Mails to the roasters" };
  await owner.request("POST", "/schedules", { fields: schedule });
  await owner.request("POST", "/hooks", { functionName: "priceOf", url: "http://127.0.0.1:9/price" });
  await rest(purse, "POST", "/functions/priceOf", { sku: "beans-250" });
  await owner.request("DELETE", "/hooks/functions/priceOf");
  await owner.request("PUT", "/config", {
    params: { welcome: "Hello", maxOrders: 5 },
    masterKeyOnly: { maxOrders: true },
  });
  await owner.request("PUT", "/config", { params: { welcome: "Good day" } });
  await owner.request("POST", "/mail/test", { to: "grace@example.org" });
  await envelope(purse, "/files/menu.txt", {
    base64: Buffer.from("Espresso, filter, beans").toString("base64"),
    _ContentType: "text/plain",
    _MasterKey: purse.masterKey,
    fileData: { ipfs: true },
  });
  await owner.request("PUT", "/mail/templates/passwordReset", {
    template: {
      subject: "A new password for {{appName}}",
      text: "Hello {{username}},\n\nchoose a new password here:\n{{link}}\n",
      html: HTML,
    },
  });
  for (const [username, role] of [
    ["edith", "editor"],
    ["guest", "readOnly"],
  ] as const) {
    await addOperator(owner, username, role);
  }
  await owner.request("POST", "/watches", {
    fields: { chainId: "0x539", address: `0x${"5f".repeat(20)}`, tableName: "Transfers", abi: [TRANSFER] },
  });
  const { body } = await owner.request("POST", "/keys", { name: "shop", limit: 600 });
  await owner.request("POST", "/keys", { name: "wallet app" });
  const headers = { "x-api-key": String(body.key) };
  for (let i = 0; i < 24; i += 1) await fetch(`${purse.url}/api/v2/info/endpointWeights`, { headers });
  const installation = { installationId: "one", deviceType: "ios", deviceToken: "a".repeat(64) };
  await rest(purse, "POST", "/installations", installation, { useMasterKey: true });
  await owner.request("POST", "/backups", {});
  // The charts have one point per ten seconds.
  for (let i = 1; i <= 4; i += 1) {
    for (let j = 0; j < 40 * (1 + (i % 3)); j += 1) await rest(purse, "GET", "/config");
    await new Promise((resolve) => setTimeout(resolve, 10_200));
  }
}
