import type { JsonObject } from "@purse/protocol";
import { beforeAll, describe, expect, it } from "vitest";
import { expectAccessible } from "../support/accessibility.ts";
import { expectNoErrors } from "../support/browser.ts";
import { rest } from "../support/purse.ts";
import { serveStudio } from "../support/studioApp.ts";
import { cells, columnOf, goTo } from "../support/studioPage.ts";

const studio = serveStudio();
beforeAll(async () => {
  const fields = { name: { type: "String" }, score: { type: "Number" }, list: { type: "Array" } };
  await rest(studio.purse, "POST", "/schemas/Small", { className: "Small", fields }, { useMasterKey: true });
});

async function smallRow(): Promise<{ objectId: string }> {
  const fields = { name: "Ada", score: 1, list: [1] };
  const { body } = await studio.owner.request("POST", "/data/Small/rows", { fields });
  return { objectId: String(body.objectId) };
}

async function read(objectId: string): Promise<JsonObject> {
  return (await studio.owner.request("GET", `/data/Small/rows/${objectId}`)).body;
}

describe("the data grid", () => {
  it("is filtered through the URL and viewed as another user", async () => {
    const { objectId } = await smallRow();
    await studio.owner.request("POST", "/data/Small/rows", {
      fields: { name: "hidden", score: 99, ACL: {} },
    });
    await studio.owner.request("POST", "/data/Small/rows", { fields: { name: "open", score: 99 } });
    const visitor = await studio.open("guest", "/data?class=Small");
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
    const visitor = await studio.open("ada", "/data?class=Small&order=-createdAt");
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
});
