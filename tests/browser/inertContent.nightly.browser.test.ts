import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Visit, visit } from "../support/browser.ts";
import { hostPurse, signUp } from "../support/purse.ts";
import { serveAppBy } from "../support/webApp.ts";

/** A script that marks the page that runs it. */
const SCRIPT = "globalThis.hasRun = true; document.title = 'run'";
const STYLE = "body { color: rgb(1, 2, 3) }";

const app = serveAppBy(hostPurse);
let script: string[];
let style: string[];

beforeAll(async () => {
  const { sessionToken } = await signUp(app.purse);
  const addressesOf = async (name: string, content: string) => {
    const response = await fetch(`${app.purse.serverUrl}/files/${name}`, {
      method: "POST",
      headers: {
        "X-Parse-Application-Id": app.purse.appId,
        "X-Parse-Session-Token": sessionToken,
        "X-Parse-File-IPFS": "true",
      },
      body: content,
    });
    const { url, ipfs } = await response.json();
    return [String(url), String(ipfs), `${ipfs}?filename=${name}`];
  };
  script = await addressesOf("a.js", SCRIPT);
  style = await addressesOf("a.css", STYLE);
});

/** Resolves when the browser has loaded an element's resource or refused it. */
async function load(page: Page, tag: string, attributes: Record<string, string>): Promise<string> {
  return page.evaluate(
    ([name, values]) =>
      new Promise<string>((resolve) => {
        const element = Object.assign(document.createElement(name), values);
        element.onload = () => resolve("loaded");
        element.onerror = () => resolve("failed");
        document.head.append(element);
      }),
    [tag, attributes] as const,
  );
}

const runs = (page: Page, code: string) => page.evaluate(code).then(String, String);
const worker = (make: string) =>
  `new Promise((resolve) => { try { const made = ${make};
    const target = made.port ?? made; made.onerror = () => resolve("failed");
    target.onmessage = () => resolve("ran"); target.postMessage?.(1);
  } catch (error) { resolve("failed"); } })`;

describe.each([
  ["browsers that send Sec-Fetch-Dest", false],
  ["browsers without Sec-Fetch-Dest", true],
])("uploaded content in %s", (_, isOld) => {
  let visitor: Visit;
  beforeAll(async () => {
    visitor = await visit(app.browser, { serviceWorkers: "allow" });
    // A page of the app's origin without a Content-Security-Policy.
    await visitor.page.goto(`${app.purse.url}/config.json`);
    if (!isOld) return;
    await visitor.page.route(/\/(files|ipfs)\//, async (route) => {
      const headers = Object.entries(route.request().headers()).filter(([name]) => !name.startsWith("sec-"));
      await route.fulfill({ response: await route.fetch({ headers: Object.fromEntries(headers) }) });
    });
  });
  afterAll(() => visitor?.close());

  it("is not executed as a script, module or worker", async () => {
    for (const src of script) {
      expect(await load(visitor.page, "script", { src })).toBe("failed");
      expect(await load(visitor.page, "script", { src, type: "module" })).toBe("failed");
      const imported = await runs(visitor.page, `import(${JSON.stringify(src)}).then(() => "ran")`);
      expect(imported).toContain("Failed to fetch");
      expect(await runs(visitor.page, worker(`new Worker(${JSON.stringify(src)})`))).toBe("failed");
      expect(await runs(visitor.page, worker(`new SharedWorker(${JSON.stringify(src)})`))).toBe("failed");
      const registered = await runs(
        visitor.page,
        `navigator.serviceWorker.register(${JSON.stringify(src)}).then(() => "ran")`,
      );
      expect(registered).toMatch(/SecurityError|TypeError/);
    }
    expect(await visitor.page.evaluate("globalThis.hasRun")).toBeUndefined();
  });

  it("is not applied as a stylesheet", async () => {
    for (const href of style) {
      expect(await load(visitor.page, "link", { rel: "stylesheet", href })).toBe("failed");
    }
    expect(await visitor.page.evaluate("getComputedStyle(document.body).color")).not.toBe("rgb(1, 2, 3)");
  });
});
