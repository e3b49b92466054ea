import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectNoErrors, type Visit, visitUncached } from "../support/browser.ts";
import { type ClientPage, serveClientPage } from "../support/clientPage.ts";
import { hostPurse } from "../support/purse.ts";
import { serveAppBy } from "../support/webApp.ts";

type Client = typeof import("@purse/client");

const app = serveAppBy(hostPurse);
let site: ClientPage;
let visitor: Visit;

beforeAll(async () => {
  site = await serveClientPage();
  visitor = await visitUncached(app.browser);
  await visitor.page.goto(site.url);
  await visitor.page.waitForFunction(() => "purse" in window);
  await run(visitor.page, async ({ start, User }, { serverUrl, appId }) => {
    await start({ serverUrl, appId });
    await User.signUp("ann", "a secret of hers");
  });
});
afterAll(() => site?.stop());

/** Runs in the page, with the client. */
function run<R>(
  page: Page,
  work: (client: Client, server: { serverUrl: string; appId: string }) => R | Promise<R>,
): Promise<R> {
  const { serverUrl, appId } = app.purse;
  return page.evaluate(`(${work})(window.purse, ${JSON.stringify({ serverUrl, appId })})`);
}

describe("an upload in a single request from a page", () => {
  it("reports its progress, and completion once the file is stored", async () => {
    const { delivered, url } = await run(visitor.page, async ({ ParseFile }) => {
      const delivered: number[][] = [];
      const file = new ParseFile("a.bin", new Uint8Array(900_000).fill(7));
      await file.save({ progress: (part, loaded, total) => delivered.push([part, loaded, total]) });
      return { delivered, url: file.url() };
    });
    expect((await fetch(String(url))).status).toBe(200);
    expect(delivered.at(-1)).toEqual([1, 900_000, 900_000]);
    expect(delivered.filter(([part]) => part === 1)).toHaveLength(1);
    expect(delivered.every(([, loaded = 0], at) => at === 0 || loaded >= (delivered[at - 1]?.[1] ?? 0))).toBe(
      true,
    );
    expectNoErrors(visitor);
  });

  it("is aborted by cancel()", async () => {
    const { page } = visitor;
    // The request is never answered.
    await page.route("**/files/b.bin", () => undefined);
    const requested = page.waitForRequest("**/files/b.bin");
    const ended = run(page, async ({ ParseFile }) => {
      const file = new ParseFile("b.bin", new Uint8Array(900_000));
      Object.assign(globalThis, { cancelUpload: () => file.cancel() });
      return file.save().then(
        () => "saved",
        (error: unknown) => String(error),
      );
    });
    await requested;
    await page.evaluate("cancelUpload()");
    expect(await ended).toMatch(/abort/i);
  });
});
