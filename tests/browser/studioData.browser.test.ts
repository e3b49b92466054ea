import type { JsonObject } from "@purse/protocol";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { expectAccessible } from "../support/accessibility.ts";
import { expectNoErrors, releaseBrowser, testBrowser, type Visit, visit } from "../support/browser.ts";
import { type Purse, rest } from "../support/purse.ts";
import { hostSite } from "../support/site.ts";
import { addOperator, openStudio, type StudioClient, setUpStudio } from "../support/studio.ts";
import { cells, columnOf, goTo, grid } from "../support/studioPage.ts";

let purse: Purse;
let browser: Browser;
let owner: StudioClient;
let visits: Visit[] = [];

beforeAll(async () => {
  [purse, browser] = await Promise.all([hostSite(), testBrowser()]);
  owner = await setUpStudio(purse);
  await addOperator(owner, "guest", "readOnly");
  const fields = { name: { type: "String" }, score: { type: "Number" }, list: { type: "Array" } };
  await rest(purse, "POST", "/schemas/Small", { className: "Small", fields }, { useMasterKey: true });
}, 120_000);
afterAll(async () => {
  await releaseBrowser(browser);
  await purse?.remove();
});
afterEach(async () => {
  await Promise.all(visits.map((each) => each.close()));
  visits = [];
});

/** Opens a page of an operator. */
async function open(username: string, path: string): Promise<Visit> {
  const visitor = await visit(browser);
  visitor.page.setDefaultTimeout(30_000);
  visits.push(visitor);
  await openStudio(visitor.page, purse, username, path);
  return visitor;
}

async function smallRow(): Promise<{ objectId: string }> {
  const fields = { name: "Ada", score: 1, list: [1] };
  const { body } = await owner.request("POST", "/data/Small/rows", { fields });
  return { objectId: String(body.objectId) };
}

async function read(objectId: string): Promise<JsonObject> {
  return (await owner.request("GET", `/data/Small/rows/${objectId}`)).body;
}

describe("the data grid", () => {
  it("is filtered through the URL and viewed as another user", async () => {
    const { objectId } = await smallRow();
    await owner.request("POST", "/data/Small/rows", { fields: { name: "hidden", score: 99, ACL: {} } });
    await owner.request("POST", "/data/Small/rows", { fields: { name: "open", score: 99 } });
    const visitor = await open("guest", "/data?class=Small");
    const { page } = visitor;
    await cells(page, objectId).waitFor();
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("combobox", { name: "Field" }).click();
    await page.getByRole("option", { name: "score" }).click();
    await page.getByRole("combobox", { name: "Condition" }).click();
    await page.getByRole("option", { name: "is at least" }).click();
    await page.getByLabel("Value").fill("99");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await cells(page, objectId).waitFor({ state: "detached" });
    await page.getByText("2 rows").waitFor();
    await page.getByRole("button", { name: "View as user" }).click();
    await page.getByRole("button", { name: "Anonymous user" }).click();
    await page.getByText("1 row", { exact: true }).waitFor();
    await page.reload();
    await cells(page, "open").waitFor();
    expect(await cells(page, "hidden").count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Remove filter score is at least 99" }).click();
    await cells(page, objectId).waitFor();
    expectNoErrors(visitor);
  });

  it("marks edited cells and saves them together, and Escape cancels an edit", async () => {
    const { objectId } = await smallRow();
    const visitor = await open("ada", "/data?class=Small&order=-createdAt");
    const { page } = visitor;
    await cells(page, objectId).waitFor();
    await goTo(page, await columnOf(page, "name"));
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "name" }).fill("nobody");
    await page.keyboard.press("Escape");
    expect(await page.getByText("with unsaved changes").count()).toBe(0);
    await page.keyboard.type("Grace");
    await page.keyboard.press("Tab");
    await goTo(page, await columnOf(page, "score"));
    await page.keyboard.type("x1");
    await page.keyboard.press("Enter");
    await page.getByText("Enter a number.").first().waitFor();
    await page.getByRole("textbox", { name: "score" }).fill("12.5");
    await page.keyboard.press("Enter");
    await goTo(page, await columnOf(page, "list"));
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "JSON" }).fill("[1, 2");
    await page.getByText("Invalid JSON").waitFor();
    await page.getByRole("textbox", { name: "JSON" }).fill("[1, 2]");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("1 row with unsaved changes").waitFor();
    await expectAccessible(page);
    expect((await read(objectId)).name).toBe("Ada");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("1 row with unsaved changes").waitFor({ state: "detached" });
    expect(await read(objectId)).toMatchObject({ name: "Grace", score: 12.5, list: [1, 2] });
    expectNoErrors(visitor);
  });

  it("shows remote changes live and exports rows as a file", async () => {
    const { objectId } = await smallRow();
    const visitor = await open(
      "guest",
      '/data?class=Small&filter=[{"field":"score","operator":"less","value":50}]',
    );
    const { page } = visitor;
    await cells(page, objectId).waitFor();
    const change = (fields: JsonObject) => owner.request("PUT", `/data/Small/rows/${objectId}`, { fields });
    // Changes are shown from when the page has subscribed to them.
    let changes = 0;
    await expect
      .poll(async () => {
        changes += 1;
        await change({ name: `live ${changes}` });
        return grid(page).getByText("live ").count();
      })
      .toBeGreaterThan(0);
    await grid(page).locator("[data-flashing]").first().waitFor();
    await smallRow();
    await page.getByRole("button", { name: /new row/ }).click();
    await page.getByRole("button", { name: "Refresh" }).waitFor();
    await change({ score: 50 });
    await cells(page, objectId).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Export" }).click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "CSV" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe("Small.csv");
    expectNoErrors(visitor);
  });

  it("shows both values of a conflict and saves the chosen one", async () => {
    const { objectId } = await smallRow();
    const visitor = await open("ada", "/data?class=Small&order=-createdAt");
    const { page } = visitor;
    await cells(page, objectId).waitFor();
    await goTo(page, await columnOf(page, "name"));
    await page.keyboard.type("mine");
    await page.keyboard.press("Enter");
    await owner.request("PUT", `/data/Small/rows/${objectId}`, { fields: { name: "theirs" } });
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("button", { name: "Compare" }).click();
    const compare = page.getByRole("dialog");
    await compare.getByText("theirs").waitFor();
    await compare.getByText("mine").waitFor();
    await expectAccessible(page);
    await compare.getByRole("combobox").click();
    await page.getByRole("option", { name: "Yours" }).click();
    await compare.getByRole("button", { name: "Continue" }).click();
    expect((await read(objectId)).name).toBe("theirs");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect.poll(async () => (await read(objectId)).name).toBe("mine");
  });

  it("creates a row, and deletes one after a typed confirmation", async () => {
    const visitor = await open("ada", "/data?class=Small&order=-createdAt");
    const { page } = visitor;
    await page.getByRole("button", { name: "New row" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("name").fill("Hedy");
    await form.getByLabel("score").fill("many");
    await form.getByRole("button", { name: "Create" }).click();
    await form.getByText("Enter a number.").waitFor();
    await form.getByLabel("score").fill("7");
    await form.getByRole("button", { name: "Create" }).click();
    await cells(page, "Hedy").waitFor();
    await cells(page, "Hedy").click();
    await page.keyboard.press("Shift+Space");
    await page.getByText("1 row selected").waitFor();
    await page.getByRole("button", { name: "Delete…" }).click();
    const question = page.getByRole("dialog");
    const yes = question.getByRole("button", { name: "Delete", exact: true });
    await expect.poll(() => yes.isDisabled()).toBe(true);
    await question.getByText("1 row will be deleted.").waitFor();
    await question.getByLabel("Type delete").fill("delete");
    await yes.click();
    await cells(page, "Hedy").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await cells(page, "Hedy").waitFor();
    await page.getByRole("button", { name: "Delete…" }).click();
    await question.getByLabel("Type delete").fill("delete");
    await yes.click();
    await page.getByRole("button", { name: "Delete now" }).click();
    await page.getByText("1 row deleted").first().waitFor();
    expect(await cells(page, "Hedy").count()).toBe(0);
    expectNoErrors(visitor);
  });
});
