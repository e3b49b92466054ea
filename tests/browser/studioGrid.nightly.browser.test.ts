import type { JsonObject } from "@purse/protocol";
import { beforeAll, describe, expect, it } from "vitest";
import { expectAccessible } from "../support/accessibility.ts";
import { expectNoErrors } from "../support/browser.ts";
import { fillLarge } from "../support/largeClass.ts";
import { rest } from "../support/purse.ts";
import { serveStudio } from "../support/studioApp.ts";
import { cells, columnOf, goTo, grid } from "../support/studioPage.ts";

const ROWS = 20_000;
const MASTER = { useMasterKey: true };
const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };
const ROASTER = {
  name: { type: "String" },
  place: { type: "GeoPoint" },
  area: { type: "Polygon" },
  logo: { type: "File" },
  secret: { type: "Bytes" },
  since: { type: "Date" },
  partner: { type: "Pointer", targetClass: "Roaster" },
  sells: { type: "Relation", targetClass: "Small" },
};

const studio = serveStudio();
beforeAll(async () => {
  const fields = { name: { type: "String" }, score: { type: "Number" }, list: { type: "Array" } };
  await rest(studio.purse, "POST", "/schemas/Small", { className: "Small", fields }, MASTER);
  await rest(studio.purse, "POST", "/schemas/Roaster", { className: "Roaster", fields: ROASTER }, MASTER);
  const roaster = { type: "Pointer", targetClass: "Roaster" };
  const order = { className: "Order", fields: { roaster, total: { type: "Number" } } };
  await rest(studio.purse, "POST", "/schemas/Order", order, MASTER);
  await fillLarge(studio.purse, ROWS, (n) => ({ f001: `text ${n}`, f194: n * 2 }));
});

async function row(className: string, fields: JsonObject): Promise<string> {
  const { body } = await studio.owner.request("POST", `/data/${className}/rows`, { fields });
  return String(body.objectId);
}

async function smallRow(): Promise<{ objectId: string }> {
  return { objectId: await row("Small", { name: "Ada", score: 1, list: [1] }) };
}

let made = 0;

/** Returns an unused name. */
function fresh(name: string): string {
  made += 1;
  return `${name}${made}`;
}

/** Creates rows for one test, and returns a path that shows only them. */
async function batch(count: number): Promise<{ ids: string[]; name: string; path: string }> {
  const name = fresh("batch ");
  const ids: string[] = [];
  for (let score = 0; score < count; score += 1) ids.push(await row("Small", { name, score }));
  const filter = JSON.stringify([{ field: "name", operator: "is", value: name }]);
  return { ids, name, path: `/data?class=Small&order=score&filter=${encodeURIComponent(filter)}` };
}

async function read(objectId: string, className = "Small"): Promise<JsonObject> {
  return (await studio.owner.request("GET", `/data/${className}/rows/${objectId}`)).body;
}

describe("the data grid", () => {
  it("shows 20,000 rows of 200 columns, renders visible cells only, and loads more on scroll", async () => {
    const visitor = await studio.open("ada", "/data?class=Large&order=objectId");
    const { page } = visitor;
    await cells(page, "row0000000").waitFor();
    expect(await grid(page).getAttribute("aria-colcount")).toBe("201");
    await page.getByText("1,000+ rows").waitFor();
    expect(await grid(page).getAttribute("aria-rowcount")).toBe("-1");
    const exact = page.getByRole("button", { name: "Show exact count" });
    await exact.waitFor();
    // The number of rows, which comes after them, does not move the tools to a second line.
    expect((await page.locator(".grid-body").boundingBox())?.y).toBeLessThanOrEqual(150);
    await exact.click();
    await page.getByText("20,000 rows").waitFor();
    expect(await grid(page).getAttribute("aria-rowcount")).toBe("20001");
    expect(await grid(page).getByRole("gridcell").count()).toBeLessThan(1_000);
    await grid(page).focus();
    const lastRow = () => grid(page).getByRole("row").last().getAttribute("aria-rowindex").then(Number);
    for (let i = 0; i < 3; i += 1) {
      const before = await lastRow();
      await page.keyboard.press("Control+ArrowDown");
      await expect.poll(lastRow).toBeGreaterThan(before);
    }
    expect(await lastRow()).toBeGreaterThan(300);
    await page.keyboard.press("End");
    await grid(page).getByRole("columnheader", { name: "updatedAt" }).waitFor();
    expect(await grid(page).getByRole("columnheader", { name: "objectId" }).count()).toBe(1);
    expect(await grid(page).getByRole("gridcell").count()).toBeLessThan(1_000);
    await expectAccessible(page);
    expectNoErrors(visitor);
  });

  it("is sorted by column headers, by several with Shift, and keeps the order in the URL", async () => {
    const visitor = await studio.open("guest", "/data?class=Large");
    const { page } = visitor;
    const name = (field: string) =>
      grid(page)
        .getByRole("columnheader", { name: field })
        .getByRole("button", { name: new RegExp(`^${field}`) });
    await name("f000").click();
    await name("f000").click();
    await cells(page, "row0019999").waitFor();
    await name("f001").click({ modifiers: ["Shift"] });
    expect(new URL(page.url()).searchParams.get("order")).toBe("-f000,f001");
    await page.reload();
    await cells(page, "row0019999").waitFor();
    await page.goBack();
    await expect.poll(() => new URL(page.url()).searchParams.get("order")).toBe("-f000");
    expectNoErrors(visitor);
  });

  it("remembers visibility, pinning, width and order of columns per class", async () => {
    const visitor = await studio.open("guest", "/data?class=Large");
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
    expect((await names.allInnerTexts()).slice(1, 5).map((text) => text.split(/\s/)[0])).toEqual([
      "objectId",
      "f003",
      "f002",
      "f001",
    ]);
    expect((await names.nth(2).boundingBox())?.width).toBe(300);
    expectNoErrors(visitor);
  });

  it("copies ranges for spreadsheets, and pastes typed values with errors for invalid cells", async () => {
    const { ids, path } = await batch(3);
    const visitor = await studio.open("edith", path, CLIPBOARD);
    const { page } = visitor;
    await cells(page, ids[0] ?? "").waitFor();
    await goTo(page, await columnOf(page, "name"));
    await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("Shift+ArrowDown");
    expect(await grid(page).locator('[aria-selected="true"]').count()).toBe(4);
    await page.keyboard.press("Control+c");
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    expect((await clipboard()).split(/\r?\n/).map((line) => line.split("\t")[1])).toEqual(["0", "1"]);
    await cells(page, ids[0] ?? "").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Copy rows as JSON" }).click();
    await expect.poll(clipboard).toContain(`"objectId": "${ids[0]}"`);

    await page.evaluate(() => navigator.clipboard.writeText('Grace\t=7\r\n"two\nlines"\t8\r\n'));
    await goTo(page, await columnOf(page, "name"));
    await page.keyboard.press("Control+v");
    await page.getByText("2 rows with unsaved changes").waitFor();
    const bad = grid(page).locator('[aria-invalid="true"]');
    expect(await bad.getAttribute("title")).toBe("Enter a number.");
    await expectAccessible(page);
    expect((await read(ids[0] ?? "")).score).toBe(0);
    await page.keyboard.press("Control+z");
    await page.getByText("2 rows with unsaved changes").waitFor({ state: "detached" });
    await page.keyboard.press("Control+v");
    await goTo(page, await columnOf(page, "score"));
    await page.keyboard.type("70");
    await page.keyboard.press("Enter");
    await bad.waitFor({ state: "detached" });
    await page.keyboard.press("Control+s");
    await page.getByText("rows with unsaved changes").waitFor({ state: "detached" });
    expect(await read(ids[0] ?? "")).toMatchObject({ name: "Grace", score: 70 });
    expect(await read(ids[1] ?? "")).toMatchObject({ name: "two\nlines", score: 8 });
    expectNoErrors(visitor);
  });

  it("reloads only saved rows", async () => {
    const { ids, path } = await batch(2);
    const { page } = await studio.open("edith", path);
    await cells(page, ids[0] ?? "").waitFor();
    const requested: string[] = [];
    page.on("request", (request) => requested.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await goTo(page, await columnOf(page, "score"));
    await page.keyboard.type("5");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+s");
    await page.getByText("with unsaved changes").waitFor({ state: "detached" });
    await cells(page, "5").waitFor();
    expect(requested).toEqual([`PUT /studio/api/data/Small/rows/${ids[0]}`]);
  });

  it("opens a row in a panel with its references in both directions, and keeps it in the URL", async () => {
    const small = await row("Small", { name: "Espresso", score: 1 });
    const roaster = await row("Roaster", { name: "Night Owl" });
    const to = { __type: "Pointer", className: "Roaster", objectId: roaster };
    const order = await row("Order", { roaster: to, total: 12 });
    const objects = [{ __type: "Pointer", className: "Small", objectId: small }];
    const sells = { __op: "AddRelation", objects };
    await studio.owner.request("PUT", `/data/Roaster/rows/${roaster}`, { fields: { sells } });
    const visitor = await studio.open("edith", "/data?class=Order&order=-createdAt");
    const { page } = visitor;
    await cells(page, order).click();
    await page.keyboard.press("Space");
    const panel = page.getByRole("dialog");
    await panel.getByRole("heading", { name: order }).waitFor();
    await panel.getByRole("button", { name: "Edit total" }).click();
    await page.getByRole("textbox", { name: "Number" }).fill("13");
    await page.getByRole("button", { name: "Apply" }).click();
    await panel.getByRole("tab", { name: "Changes" }).click();
    await panel.getByRole("region", { name: "Unsaved" }).getByText("12").waitFor();
    await expectAccessible(page);
    await panel.getByRole("button", { name: "Revert" }).click();
    await panel.getByText("No unsaved changes").waitFor();
    await panel.getByRole("tab", { name: "Fields" }).click();
    await panel.getByRole("button", { name: `Open Roaster ${roaster}` }).click();
    await panel.getByRole("heading", { name: roaster }).waitFor();
    expect(new URL(page.url()).searchParams.get("class")).toBe("Roaster");
    await panel.getByRole("tab", { name: "Related rows" }).click();
    await panel.getByRole("region", { name: "sells" }).getByText("Espresso").waitFor();
    await panel
      .getByRole("region", { name: "Order via roaster" })
      .getByRole("button", { name: order })
      .waitFor();
    await expectAccessible(page);
    await page.reload();
    await panel.getByRole("region", { name: "sells" }).getByText("Espresso").waitFor();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(new URL(page.url()).searchParams.get("row")).toBeNull();
    expectNoErrors(visitor);
  });

  it("has an editor for each field type", async () => {
    const partner = await row("Roaster", { name: "Partner 1" });
    const id = await row("Roaster", { name: "Alone" });
    const small = await row("Small", { name: "Filter coffee" });
    const visitor = await studio.open("edith", `/data?class=Roaster&row=${id}`);
    const { page } = visitor;
    const panel = page.getByRole("dialog").first();
    const dialog = page.getByRole("dialog").last();
    const edit = (field: string) => panel.getByRole("button", { name: `Edit ${field}` }).click();
    const take = () => dialog.getByRole("button", { name: "Apply", exact: true }).click();
    await edit("partner");
    await dialog.getByRole("searchbox").fill("PARTNER 1");
    await dialog.getByRole("button", { name: partner }).click();
    await expectAccessible(page);
    await take();
    await edit("place");
    await dialog.getByLabel("Latitude").fill("91");
    await dialog.getByLabel("Longitude").fill("8.5");
    await dialog.getByText("Enter a latitude (−90 to 90)").waitFor();
    await dialog.getByLabel("Latitude").fill("47.25");
    await dialog.getByRole("img", { name: "47.25, 8.5" }).waitFor();
    await take();
    await edit("area");
    await dialog.getByLabel("Corners").fill("[[0, 0], [0, 200], [1, 1]]");
    await dialog.getByText("Corner 2 must be").waitFor();
    await dialog.getByLabel("Corners").fill("[[0, 0], [0, 2], [1, 1]]");
    await take();
    await edit("secret");
    await dialog.getByLabel("Base64").fill("cHVyc2U=");
    await dialog.getByText("70 75 72 73 65").waitFor();
    await take();
    await edit("since");
    await dialog.getByRole("combobox", { name: "Zone" }).click();
    await page.getByRole("option", { name: "UTC", exact: true }).click();
    await dialog.getByLabel("Time").fill("2026-01-02T03:04");
    await take();
    await edit("logo");
    const file = { name: "logo.txt", mimeType: "text/plain", buffer: Buffer.from("a logo") };
    await dialog.getByLabel("Upload a file").setInputFiles(file);
    await dialog.getByRole("link", { name: /logo.txt/ }).waitFor();
    await expectAccessible(page);
    await take();
    await edit("ACL");
    await dialog.getByRole("button", { name: "Public" }).click();
    await dialog.getByRole("checkbox", { name: "Write Public" }).click();
    await expectAccessible(page);
    await take();
    await panel.getByRole("button", { name: "Rows of sells" }).click();
    await dialog.getByRole("button", { name: "Add row" }).click();
    await dialog.getByRole("searchbox").fill(small);
    await dialog.getByRole("list", { name: "Rows of Small" }).getByRole("button", { name: small }).click();
    await dialog.getByRole("button", { name: `Remove ${small}` }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("with unsaved changes").waitFor({ state: "detached" });
    expect(await read(id, "Roaster")).toMatchObject({
      partner: { objectId: partner },
      place: { latitude: 47.25, longitude: 8.5 },
      area: { coordinates: expect.arrayContaining([[0, 2]]) },
      secret: { base64: "cHVyc2U=" },
      since: { iso: "2026-01-02T03:04:00.000Z" },
      logo: { name: expect.stringContaining("logo.txt") },
      ACL: { "*": { read: true, write: true } },
    });
    expectNoErrors(visitor);
  });

  it("imports a file with mapped columns and a type check, and exports rejected rows", async () => {
    const name = fresh("import ");
    const visitor = await studio.open("edith", "/data?class=Small");
    const { page } = visitor;
    await page.getByRole("button", { name: "Import" }).click();
    const dialog = page.getByRole("dialog");
    const csv = `Name,Points,extra\n${name},1,a\n${name},many,b\n"${name}",3,c\n`;
    const file = { name: "rows.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
    await dialog.getByLabel("File", { exact: true }).setInputFiles(file);
    await dialog.getByText("rows.csv: 3 rows").waitFor();
    await dialog.getByRole("combobox", { name: "Field for Points" }).click();
    await page.getByRole("option", { name: "score · Number" }).click();
    await dialog.getByRole("button", { name: "Validate" }).click();
    await dialog.getByText("2 rows are valid").waitFor();
    await expectAccessible(page);
    const [refused] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Download rejected rows" }).click(),
    ]);
    expect(refused.suggestedFilename()).toBe("Small-refused.csv");
    await dialog.getByRole("button", { name: "Import 2 rows" }).click();
    await dialog.getByText("2 rows imported").waitFor();
    const where = encodeURIComponent(JSON.stringify({ name }));
    const { body } = await studio.owner.request("GET", `/data/Small?where=${where}&order=score`);
    expect(body.results).toMatchObject([{ score: 1 }, { score: 3 }]);
    expectNoErrors(visitor);
  });

  it("updates and deletes all filtered rows after showing their number", async () => {
    const { ids, path } = await batch(4);
    const visitor = await studio.open("edith", path);
    const { page } = visitor;
    await cells(page, ids[0] ?? "").waitFor();
    await page.getByRole("button", { name: "Bulk actions" }).click();
    await page.getByRole("menuitem", { name: "Update all rows…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("4 rows will be updated.").waitFor();
    await dialog.getByRole("combobox", { name: "Field" }).click();
    await page.getByRole("option", { name: "score" }).click();
    await dialog.getByRole("button", { name: "Update rows" }).click();
    await dialog.getByText("Enter a value").waitFor();
    await dialog.getByLabel("Value", { exact: true }).fill("77");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Update rows" }).click();
    await dialog.getByText("4 rows updated.").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await expect.poll(() => cells(page, "77").count()).toBe(4);
    await page.getByRole("button", { name: "Bulk actions" }).click();
    await page.getByRole("menuitem", { name: "Delete all rows…" }).click();
    await dialog.getByText("4 rows will be deleted.").waitFor();
    await expectAccessible(page);
    await dialog.getByLabel("Type delete").fill("delete");
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("All matching rows are marked for deletion").waitFor();
    expect((await read(ids[0] ?? "")).score).toBe(77);
    await page.getByRole("button", { name: "Delete now" }).click();
    await page.getByText("No rows match the filters").waitFor();
    expect((await read(ids[3] ?? "")).code).toBe(101);
    expectNoErrors(visitor);
  });

  it("combines conditions with OR, and filters by fields of a pointer's object", async () => {
    const name = fresh("Owl ");
    const objectId = await row("Roaster", { name });
    const roaster = { __type: "Pointer", className: "Roaster", objectId };
    const mine = await row("Order", { roaster, total: 1 });
    const dear = await row("Order", { total: 987_654 });
    const other = await row("Order", { total: 2 });
    const visitor = await studio.open("guest", "/data?class=Order&order=-createdAt");
    const { page } = visitor;
    await cells(page, other).waitFor();
    await page.keyboard.press("Control+/");
    const dialog = page.getByRole("dialog");
    const choose = async (label: string, option: string) => {
      await dialog.getByRole("combobox", { name: label, exact: true }).click();
      await page.getByRole("option", { name: option, exact: true }).click();
    };
    await choose("Field", "roaster");
    await choose("Field of roaster", "name");
    await dialog.getByLabel("Value", { exact: true }).fill(name);
    await dialog.getByRole("button", { name: "Add “or” condition" }).click();
    await choose("Field 2", "total");
    await choose("Condition 2", "is greater than");
    await dialog.getByLabel("Value 2").fill("900000");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await cells(page, other).waitFor({ state: "detached" });
    await cells(page, mine).waitFor();
    await cells(page, dear).waitFor();
    await page.reload();
    await page.getByText(`roaster.name is ${name} or total is greater than 900000`).click();
    await dialog.getByRole("button", { name: "Remove condition 2" }).click();
    await dialog.getByRole("button", { name: "Apply", exact: true }).click();
    await cells(page, dear).waitFor({ state: "detached" });
    expectNoErrors(visitor);
  });

  it("explains query plans and creates a missing index", async () => {
    const className = "Slow";
    await rest(
      studio.purse,
      "POST",
      `/schemas/${className}`,
      { className, fields: { n: { type: "Number" } } },
      MASTER,
    );
    const visitor = await studio.open("edith", `/data?class=${className}&order=n`);
    const { page } = visitor;
    await page.getByRole("button", { name: "Explain" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Suggested index: n").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Create index" }).click();
    await dialog.getByText("No index suggestions").waitFor();
    const { body } = await studio.owner.request("GET", `/schema/classes/${className}`);
    expect(body.indexes).toMatchObject({ n: { n: 1 } });
    expectNoErrors(visitor);
  });

  it("moves, pins and hides columns from their headers by mouse and keyboard", async () => {
    await row("Order", { total: 1 });
    const visitor = await studio.open("guest", "/data?class=Order");
    const { page } = visitor;
    const head = (field: string) => grid(page).getByRole("columnheader", { name: field });
    await head("total").waitFor();
    const before = await columnOf(page, "roaster");
    expect(await columnOf(page, "total")).toBe(before + 1);
    await head("total").dragTo(head("roaster"));
    await expect.poll(() => columnOf(page, "total")).toBe(before);
    await grid(page).focus();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Control+Shift+ArrowRight");
    await expect.poll(() => columnOf(page, "total")).toBe(before + 1);
    await page.keyboard.press("p");
    await expect.poll(() => head("total").getAttribute("data-pinned")).toBe("true");
    await page.keyboard.press("h");
    await page.reload();
    await head("objectId").waitFor();
    expect(await head("total").count()).toBe(0);
    expectNoErrors(visitor);
  });

  it("shows read-only operators everything without edit controls", async () => {
    const { objectId } = await smallRow();
    const visitor = await studio.open("guest", "/data?class=Small&order=-createdAt", CLIPBOARD);
    const { page } = visitor;
    await cells(page, objectId).waitFor();
    await page.getByText("Read-only. Editors and owners can make changes.").waitFor();
    for (const name of ["New row", "Import", "Bulk actions"])
      expect(await page.getByRole("button", { name }).count(), name).toBe(0);
    await goTo(page, await columnOf(page, "score"));
    await page.keyboard.type("x");
    expect(await grid(page).getByRole("textbox").count()).toBe(0);
    await page.evaluate(() => navigator.clipboard.writeText("9"));
    await page.keyboard.press("Control+v");
    await page.keyboard.press("Delete");
    await page.keyboard.press("Control+i");
    await page.keyboard.press("Shift+Space");
    await page.getByText("1 row selected").waitFor();
    expect(await page.getByRole("button", { name: "Delete…" }).count()).toBe(0);
    expect(await page.getByText("with unsaved changes").count()).toBe(0);
    await page.keyboard.press("Enter");
    const panel = page.getByRole("dialog");
    await panel.getByRole("heading", { name: objectId }).waitFor();
    expect(await panel.getByRole("button", { name: /^Edit/ }).count()).toBe(0);
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Explain" }).click();
    await panel.getByText("Query plan").first().waitFor();
    expect(await panel.getByRole("button", { name: "Create index" }).count()).toBe(0);
    expect((await read(objectId)).score).toBe(1);
    expectNoErrors(visitor);
  });

  it("fits a phone and is accessible", async () => {
    const visitor = await studio.open("guest", "/data?class=Large&order=objectId", {
      viewport: { width: 390, height: 844 },
    });
    const { page } = visitor;
    await cells(page, "row0000000").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await goTo(page, 2);
    await expectAccessible(page);
    expectNoErrors(visitor);
  });

  it("fits a phone with names of any length, as do classes, security check and the app", async () => {
    const className = "Inventory".repeat(8);
    const fields = { ["quantity".repeat(8)]: { type: "Number" } };
    const access = { classLevelPermissions: { find: { "*": true }, update: { "*": true } } };
    const path = `/schemas/${className}`;
    await rest(studio.purse, "POST", path, { className, fields, ...access }, MASTER);
    const { page } = await studio.open("ada", `/classes?class=${className}`, {
      viewport: { width: 390, height: 844 },
    });
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    await page.getByRole("heading", { name: className }).waitFor();
    expect(await width()).toBeLessThanOrEqual(390);
    await page.goto(`${studio.purse.url}/studio/security`);
    await page.getByText(className).first().waitFor();
    expect(await width()).toBeLessThanOrEqual(390);
    await page.goto(`${studio.purse.url}/data`);
    await page.getByRole("button", { name: className }).waitFor();
    expect(await width()).toBeLessThanOrEqual(390);
    await rest(studio.purse, "DELETE", path, undefined, MASTER);
  });

  it("shows remote changes live and exports rows as a file", async () => {
    const { objectId } = await smallRow();
    const visitor = await studio.open(
      "guest",
      '/data?class=Small&filter=[{"field":"score","operator":"less","value":50}]',
    );
    const { page } = visitor;
    await cells(page, objectId).waitFor();
    const change = (fields: JsonObject) =>
      studio.owner.request("PUT", `/data/Small/rows/${objectId}`, { fields });
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
    const visitor = await studio.open("ada", "/data?class=Small&order=-createdAt");
    const { page } = visitor;
    await cells(page, objectId).waitFor();
    await goTo(page, await columnOf(page, "name"));
    await page.keyboard.type("mine");
    await page.keyboard.press("Enter");
    await studio.owner.request("PUT", `/data/Small/rows/${objectId}`, { fields: { name: "theirs" } });
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
    const visitor = await studio.open("ada", "/data?class=Small&order=-createdAt");
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
