import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { openStore } from "@purse/server";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { expectAccessible, expectNoErrors, launchBrowser, type Visit, visit } from "../support/browser.ts";
import { type Purse, rest, startPurse } from "../support/purse.ts";
import { addOperator, type StudioClient, setUpStudio, signInToStudio } from "../support/studio.ts";

const ROWS = 100_000;
const FIELDS = 196;
const MASTER = { useMasterKey: true };

let purse: Purse;
let browser: Browser;
let owner: StudioClient;
let visits: Visit[] = [];

beforeAll(async () => {
  [purse, browser] = await Promise.all([startPurse(), launchBrowser()]);
  owner = await setUpStudio(purse);
  await addOperator(owner, "guest", "readOnly");
  const fields = { name: { type: "String" }, score: { type: "Number" }, list: { type: "Array" } };
  await rest(purse, "POST", "/schemas/Small", { className: "Small", fields }, MASTER);
  await fillLarge();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await purse?.remove();
});
afterEach(async () => {
  await Promise.all(visits.map((each) => each.close()));
  visits = [];
});

/** 200 columns with those that every row has; past the doors, which would take minutes. */
async function fillLarge(): Promise<void> {
  const fields = Object.fromEntries(
    Array.from({ length: FIELDS }, (_, i) => [fieldName(i), { type: i % 2 === 0 ? "Number" : "String" }]),
  );
  await rest(purse, "POST", "/schemas/Large", { className: "Large", fields }, MASTER);
  const store = await openStore({ kind: "sqlite", path: join(purse.dataDir, "purse.sqlite") });
  const [schema] = await store.loadClasses("Large");
  if (!schema) throw new Error("The class is not there.");
  for (let from = 0; from < ROWS; from += 5_000) {
    await store.write(
      Array.from({ length: 5_000 }, (_, i) => {
        const n = from + i;
        const id = `row${String(n).padStart(7, "0")}`;
        const at = new Date(1_700_000_000_000 + n).toISOString();
        const object = {
          objectId: id,
          createdAt: at,
          updatedAt: at,
          f000: n,
          f001: `text ${n}`,
          f194: n * 2,
        };
        return { kind: "create", schema, id, at, object } as const;
      }),
    );
  }
  await store.close();
}

function fieldName(i: number): string {
  return `f${String(i).padStart(3, "0")}`;
}

async function open(username: string, path: string, options = {}): Promise<Visit> {
  const visitor = await visit(browser, options);
  visitor.page.setDefaultTimeout(10_000);
  visits.push(visitor);
  await signInToStudio(visitor.page, purse, username, path);
  return visitor;
}

const grid = (page: Page) => page.getByRole("grid");
const cells = (page: Page, text: string) =>
  grid(page)
    .getByRole("gridcell")
    .filter({ hasText: new RegExp(`^${text}$`) });

/** Goes to a cell of the first row by the keyboard; the first column is objectId. */
async function goTo(page: Page, column: number): Promise<void> {
  await grid(page).focus();
  await page.keyboard.press("Control+Home");
  for (let i = 0; i < column; i += 1) await page.keyboard.press("ArrowRight");
}

async function columnOf(page: Page, field: string): Promise<number> {
  const head = grid(page).getByRole("columnheader", { name: field });
  return Number(await head.getAttribute("aria-colindex")) - 1;
}

async function smallRow(): Promise<{ objectId: string }> {
  const fields = { name: "Ada", score: 1, list: [1] };
  const { body } = await owner.ask("POST", "/data/Small/rows", { fields });
  return { objectId: String(body.objectId) };
}

async function read(objectId: string): Promise<JsonObject> {
  return (await owner.ask("GET", `/data/Small/rows/${objectId}`)).body;
}

describe("the grid", () => {
  it("shows 100,000 rows of 200 columns, drawing those in sight, and reads on as one scrolls", async () => {
    const visitor = await open("ada", "/data?class=Large");
    const { page } = visitor;
    await cells(page, "row0000000").waitFor();
    expect(await grid(page).getAttribute("aria-colcount")).toBe("200");
    await page.getByText("more than 5,000 rows").waitFor();
    expect(await grid(page).getAttribute("aria-rowcount")).toBe("-1");
    await page.getByRole("button", { name: "Count all" }).click();
    await page.getByText("100,000 rows").waitFor();
    expect(await grid(page).getAttribute("aria-rowcount")).toBe("100001");
    expect(await grid(page).getByRole("gridcell").count()).toBeLessThan(1_000);
    await grid(page).focus();
    for (let i = 0; i < 3; i += 1) {
      await page.keyboard.press("Control+ArrowDown");
      await page.waitForTimeout(150);
    }
    await expect
      .poll(() => grid(page).getByRole("row").last().getAttribute("aria-rowindex").then(Number))
      .toBeGreaterThan(300);
    await page.keyboard.press("End");
    await grid(page).getByRole("columnheader", { name: "updatedAt" }).waitFor();
    expect(await grid(page).getByRole("columnheader", { name: "objectId" }).count()).toBe(1);
    expect(await grid(page).getByRole("gridcell").count()).toBeLessThan(1_000);
    await expectAccessible(page);
    expectNoErrors(visitor);
  });

  it("is sorted by its names, and by more of them with Shift, and the address keeps it", async () => {
    const visitor = await open("guest", "/data?class=Large");
    const { page } = visitor;
    const name = (field: string) => grid(page).getByRole("columnheader", { name: field }).getByRole("button");
    await name("f000").click();
    await name("f000").click();
    await cells(page, "row0099999").waitFor();
    await name("f001").click({ modifiers: ["Shift"] });
    expect(new URL(page.url()).searchParams.get("order")).toBe("-f000,f001");
    await page.reload();
    await cells(page, "row0099999").waitFor();
    await page.goBack();
    await expect.poll(() => new URL(page.url()).searchParams.get("order")).toBe("-f000");
    expectNoErrors(visitor);
  });

  it("keeps which columns are shown, pinned, wide and where, for each class", async () => {
    const visitor = await open("guest", "/data?class=Large");
    const { page } = visitor;
    await page.getByRole("button", { name: "Columns" }).click();
    const list = page.getByRole("dialog");
    await list.getByRole("checkbox", { name: "f000" }).click();
    await list.getByRole("button", { name: "Pin f003" }).click();
    await list.getByRole("spinbutton", { name: "Width of f003" }).fill("300");
    await list.getByRole("button", { name: "Move f001 down" }).click();
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
    await page.reload();
    const names = grid(page).getByRole("columnheader");
    await names.first().waitFor();
    expect((await names.allInnerTexts()).slice(0, 4).map((text) => text.split(/\s/)[0])).toEqual([
      "objectId",
      "f003",
      "f002",
      "f001",
    ]);
    expect((await names.nth(1).boundingBox())?.width).toBe(300);
    expectNoErrors(visitor);
  });

  it("takes what is typed, marks it, and saves it together; Escape leaves a cell as it was", async () => {
    const { objectId } = await smallRow();
    const visitor = await open("ada", "/data?class=Small&order=-createdAt");
    const { page } = visitor;
    await cells(page, objectId).waitFor();
    await goTo(page, await columnOf(page, "name"));
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "name" }).fill("nobody");
    await page.keyboard.press("Escape");
    expect(await page.getByText("is changed and not saved").count()).toBe(0);
    await page.keyboard.type("Grace");
    await page.keyboard.press("Tab");
    await goTo(page, await columnOf(page, "score"));
    await page.keyboard.type("x1");
    await page.keyboard.press("Enter");
    await grid(page).getByText("That is no number.").waitFor();
    await page.getByRole("textbox", { name: "score" }).fill("12.5");
    await page.keyboard.press("Enter");
    await goTo(page, await columnOf(page, "list"));
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "JSON" }).fill("[1, 2");
    await page.getByText("That is not JSON yet").waitFor();
    await page.getByRole("textbox", { name: "JSON" }).fill("[1, 2]");
    await page.getByRole("button", { name: "Take" }).click();
    await page.getByText("1 row is changed and not saved").waitFor();
    await expectAccessible(page);
    expect((await read(objectId)).name).toBe("Ada");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("1 row is changed and not saved").waitFor({ state: "detached" });
    expect(await read(objectId)).toMatchObject({ name: "Grace", score: 12.5, list: [1, 2] });
    expectNoErrors(visitor);
  });

  it("shows both values where somebody else was first, and saves the one that is chosen", async () => {
    const { objectId } = await smallRow();
    const visitor = await open("ada", "/data?class=Small&order=-createdAt");
    const { page } = visitor;
    await cells(page, objectId).waitFor();
    await goTo(page, await columnOf(page, "name"));
    await page.keyboard.type("mine");
    await page.keyboard.press("Enter");
    await owner.ask("PUT", `/data/Small/rows/${objectId}`, { fields: { name: "theirs" } });
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("button", { name: "Compare" }).click();
    const compare = page.getByRole("dialog");
    await compare.getByText("theirs").waitFor();
    await compare.getByText("mine").waitFor();
    await expectAccessible(page);
    await compare.getByRole("combobox").click();
    await page.getByRole("option", { name: "Yours" }).click();
    await compare.getByRole("button", { name: "Go on with these" }).click();
    expect((await read(objectId)).name).toBe("theirs");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect.poll(async () => (await read(objectId)).name).toBe("mine");
  });

  it("makes a row, and deletes one after a word that is typed", async () => {
    const visitor = await open("ada", "/data?class=Small&order=-createdAt");
    const { page } = visitor;
    await page.getByRole("button", { name: "New row" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("name").fill("Hedy");
    await form.getByLabel("score").fill("many");
    await form.getByRole("button", { name: "Create" }).click();
    await form.getByText("That is no number.").waitFor();
    await form.getByLabel("score").fill("7");
    await form.getByRole("button", { name: "Create" }).click();
    await cells(page, "Hedy").waitFor();
    await cells(page, "Hedy").click();
    await page.getByRole("button", { name: "Delete row" }).click();
    const question = page.getByRole("dialog");
    const yes = question.getByRole("button", { name: "Delete", exact: true });
    expect(await yes.isDisabled()).toBe(true);
    await question.getByLabel("Type delete").fill("delete");
    await yes.click();
    await cells(page, "Hedy").waitFor({ state: "detached" });
    expectNoErrors(visitor);
  });

  it("is narrowed by filters of the address, and looked at as somebody else", async () => {
    const { objectId } = await smallRow();
    await owner.ask("POST", "/data/Small/rows", { fields: { name: "hidden", score: 99, ACL: {} } });
    await owner.ask("POST", "/data/Small/rows", { fields: { name: "open", score: 99 } });
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
    await page.getByRole("button", { name: "Look as a user" }).click();
    await page.getByRole("button", { name: "Look", exact: true }).click();
    await page.getByText("1 row", { exact: true }).waitFor();
    await page.reload();
    await cells(page, "open").waitFor();
    expect(await cells(page, "hidden").count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Take away: score is at least 99" }).click();
    await cells(page, objectId).waitFor();
    expectNoErrors(visitor);
  });

  it("shows changes of others as they happen, and hands the rows out as a file", async () => {
    const { objectId } = await smallRow();
    const visitor = await open(
      "guest",
      '/data?class=Small&filter=[{"field":"score","operator":"less","value":50}]',
    );
    const { page } = visitor;
    await cells(page, objectId).waitFor();
    const change = (fields: JsonObject) => owner.ask("PUT", `/data/Small/rows/${objectId}`, { fields });
    await expect
      .poll(async () => {
        await change({ name: `live ${Math.random()}` });
        return grid(page).getByText("live 0.").count();
      })
      .toBeGreaterThan(0);
    await grid(page).locator("[data-flashing]").first().waitFor();
    await smallRow();
    await page.getByRole("button", { name: /new row/ }).click();
    await page.getByRole("button", { name: "Read again" }).waitFor();
    await change({ score: 50 });
    await cells(page, objectId).waitFor({ state: "detached" });
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Export CSV" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe("Small.csv");
    expectNoErrors(visitor);
  });

  it("lets who looks only change nothing", async () => {
    const { objectId } = await smallRow();
    const { page } = await open("guest", "/data?class=Small&order=-createdAt");
    await cells(page, objectId).waitFor();
    await page.getByText("You can look here; editors and owners change it.").waitFor();
    await goTo(page, await columnOf(page, "name"));
    await page.keyboard.press("Enter");
    await page.keyboard.type("x");
    expect(await grid(page).getByRole("textbox").count()).toBe(0);
  });

  it("fits a phone", async () => {
    const visitor = await open("guest", "/data?class=Large", { viewport: { width: 390, height: 844 } });
    const { page } = visitor;
    await cells(page, "row0000000").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await goTo(page, 2);
    await expectAccessible(page);
    expectNoErrors(visitor);
  });
});
