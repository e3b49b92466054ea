import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";
import { send } from "../support/send.ts";
import { setUpStudio } from "../support/studio.ts";

/** The programs of the guide, as a reader copies them. */
const [MODULE = "", CONFIG = ""] = [
  ...readFileSync(resolve(import.meta.dirname, "../../docs/guide/modules.md"), "utf8").matchAll(
    /```ts\n(.*?)```/gs,
  ),
].map(([, code]) => code ?? "");

/** A folder without installed packages that has these files; returns the environment of a server with its config. */
function folderOf(files: Record<string, string>): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "purse-module-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return { PURSE_CONFIG: join(folder, "purse.config.ts") };
}

const start = (files: Record<string, string>, env: Record<string, string> = {}) =>
  hostPurse({ env: { ...folderOf(files), ...env } });

describe("the module of the guide", () => {
  let purse: Purse;
  let user: Awaited<ReturnType<typeof signUp>>;

  beforeAll(async () => {
    purse = await start({ "invoices.ts": MODULE, "purse.config.ts": CONFIG });
    user = await signUp(purse);
  });
  afterAll(() => purse?.remove());

  const text = async (path: string, headers: Record<string, string> = {}) =>
    (await send(`${purse.url}${path}`, { method: "GET", headers })).text;

  it("has a route for signed-in users, whose objects get the setting of the config file", async () => {
    const { status, body } = await rest(purse, "POST", "/invoices", { amount: 12.5 }, user);
    expect(status).toBe(200);
    const { body: invoice } = await rest(purse, "GET", `/classes/Invoice/${body.invoice}`, undefined, user);
    expect(invoice).toMatchObject({ amount: 12.5, status: "open", dueAt: { iso: body.dueAt } });
    const days = (Date.parse(String(body.dueAt)) - Date.parse(String(invoice.createdAt))) / 86_400_000;
    expect(days).toBeCloseTo(30, 2);
  });

  it("rejects strangers and invalid parameters", async () => {
    expect(await rest(purse, "POST", "/invoices", { amount: 1 })).toMatchObject({
      body: { code: 206, error: "A user must be signed in." },
    });
    expect(await rest(purse, "POST", "/invoices", { amount: "x" }, user)).toMatchObject({
      status: 400,
      body: { code: 102, error: expect.stringContaining("amount") },
    });
  });

  it("has its route in the OpenAPI document, below its name", async () => {
    const { paths } = JSON.parse(await text("/server/openapi.json"));
    expect(paths["/invoices"].post).toMatchObject({
      tags: ["invoices"],
      summary: "Create an invoice",
      "x-access": "user",
      requestBody: { content: { "application/json": { schema: { required: ["amount"] } } } },
    });
  });

  it("has objects that other users cannot read", async () => {
    const other = await signUp(purse);
    expect((await rest(purse, "GET", "/classes/Invoice", undefined, other)).body).toEqual({ results: [] });
    expect((await rest(purse, "GET", "/classes/Invoice")).body.code).toBe(101);
  });

  it("has a function, a metric, a schedule, and a part of the health", async () => {
    expect((await rest(purse, "POST", "/functions/openInvoices", {})).body).toEqual({ result: 1 });
    expect(await text("/metrics")).toContain("invoices_created_total 1");
    expect(JSON.parse(await text("/health"))).toMatchObject({ modules: { invoices: { created: 1 } } });
  });

  it("has a route of the admin API, for operators only", async () => {
    const owner = await setUpStudio(purse);
    const path = "/studio/api/invoices/open";
    expect(JSON.parse(await text(path, { cookie: owner.cookie ?? "" }))).toEqual({ open: 1 });
    expect(JSON.parse(await text(path))).toHaveProperty("code");
  });
});

describe("modules of the config file", () => {
  const config = (modules: string, before = "") =>
    `import { defineModule, OBJECTS, setting, token, z } from "@purse/server/module";\n${before}\nexport default { modules: [${modules}] };`;

  it("get settings from variables, and packages are found by their names", async () => {
    const index = `import { defineModule, setting, text } from "@purse/server/module";
      export default () => defineModule({
        name: "greeting",
        settings: { greeting: setting(text(), { default: "Hello", description: "A greeting." }) },
        open: ({ settings }) => ({
          functions: [{ name: "greet", run: async () => settings.greeting }],
          http: async (app) => void app.get("/greeting", async () => settings.greeting),
          publicHttp: async (app) => void app.get("/public-greeting", async () => settings.greeting),
          sockets: [{ path: "/greetings", upgrade: (_, socket) => void socket.end("HTTP/1.1 418 " + settings.greeting + "\\r\\n\\r\\n") }],
        }),
      });`;
    const purse = await start(
      {
        "purse.config.ts": 'export default { modules: ["purse-greeting"] };',
        "node_modules/purse-greeting/package.json":
          '{ "type": "module", "exports": { "import": "./index.js" } }',
        "node_modules/purse-greeting/index.js": index,
      },
      { PURSE_GREETING: "Moin" },
    );
    expect((await rest(purse, "POST", "/functions/greet", {})).body).toEqual({ result: "Moin" });
    const origin = { origin: "https://other.example" };
    const ofSite = await send(`${purse.url}/greeting`, { method: "GET", headers: origin });
    expect([ofSite.text, ofSite.headers.get("access-control-allow-origin")]).toEqual(["Moin", null]);
    const ofAny = await send(`${purse.url}/public-greeting`, { method: "GET", headers: origin });
    expect([ofAny.text, ofAny.headers.get("access-control-allow-origin")]).toEqual(["Moin", "*"]);
    const upgrade = { connection: "Upgrade", upgrade: "websocket" };
    expect(await send(`${purse.url}/greetings`, { method: "GET", headers: upgrade })).toMatchObject({
      status: 418,
    });
    await purse.remove();
  });

  it.each([
    ["a number", "1", '"modules[0]" must be a module, made by defineModule() of @purse/server/module'],
    ["a package that is missing", '"purse-missing"', 'the module "purse-missing" cannot be loaded'],
    [
      "one with the name of another",
      'defineModule({ name: "push", open: () => ({}) })',
      'Two modules have the name "push"',
    ],
    [
      "one with a setting of the server",
      'defineModule({ name: "a", settings: { port: setting(z.string(), { description: "A port." }) }, open: () => ({}) })',
      'The module "a": the setting "port" is one of the server already',
    ],
    [
      "one with a need that nothing provides",
      'defineModule({ name: "a", needs: { mail: token("nothing") }, open: () => ({}) })',
      'The module "a" needs "nothing", which nothing provides',
    ],
    [
      "one with a route of the server",
      'defineModule({ name: "a", open: () => ({ routes: [{ method: "GET", path: "/classes/:className", handle: async () => null }] }) })',
      'The module "a": the server has the route GET /classes/:className already',
    ],
    [
      "one with WebSockets at a path of the server",
      'defineModule({ name: "a", open: () => ({ sockets: [{ path: "/server", upgrade: () => undefined }] }) })',
      'The module "a": the server has WebSockets at /server already',
    ],
    [
      "one with WebSockets at a path of another module",
      'defineModule({ name: "a", open: () => ({ sockets: [{ path: "/graphql", upgrade: () => undefined }] }) })',
      'The module "a": the module "graphql" has WebSockets at /graphql already',
    ],
    [
      "one with WebSockets at an invalid path",
      'defineModule({ name: "a", open: () => ({ sockets: [{ path: "/a/", upgrade: () => undefined }] }) })',
      'The module "a": the path /a/ of WebSockets must begin and not end with a slash',
    ],
    [
      "one with an invalid metric",
      'defineModule({ name: "a", open: () => ({ metrics: [{ name: "no metric", help: "Any.", read: () => 1 }] }) })',
      'The module "a": Invalid metric name',
    ],
    [
      "one with an invalid schedule",
      'defineModule({ name: "a", open: () => ({ schedules: [{ name: "x", cron: "never", run: async () => undefined }] }) })',
      'The module "a": ',
    ],
    [
      "one with a class of the server",
      'defineModule({ name: "a", classes: () => [{ className: "_GlobalConfig", fields: {} }], open: () => ({}) })',
      'The class "_GlobalConfig" belongs to two modules: "globalConfig" and "a"',
    ],
    [
      "one that does not open",
      'defineModule({ name: "a", needs: { objects: OBJECTS }, open: () => { throw new Error("no disk"); } })',
      'The module "a" did not open: no disk',
    ],
  ])("stop the start with an error that names what is wrong: %s", async (_what, modules, message) => {
    await expect(start({ "purse.config.ts": config(modules) })).rejects.toThrow(message);
  });
});
