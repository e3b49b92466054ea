import { TOTP } from "otpauth";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { expectAccessible, expectNoErrors, launchBrowser, type Visit, visit } from "../support/browser.ts";
import { type Purse, startPurse } from "../support/purse.ts";
import {
  addOperator,
  STUDIO_PASSWORD,
  StudioClient,
  setUpStudio,
  signInToStudio,
} from "../support/studio.ts";

const ROOMS: readonly (readonly [path: string, title: string])[] = [
  ["/operators", "Operators"],
  ["/operators?show=account", "Operators"],
  ["/audit", "Audit"],
  ["/classes?class=Order", "Classes"],
  ["/classes?show=code", "Classes"],
];
const NEW_PASSWORD = "seven green bottles";

let purse: Purse;
let browser: Browser;
let owner: StudioClient;
let visits: Visit[] = [];

beforeAll(async () => {
  [purse, browser] = await Promise.all([startPurse(), launchBrowser()]);
  owner = await setUpStudio(purse);
  await addOperator(owner, "edith", "editor");
  await addOperator(owner, "guest", "readOnly");
  await owner.ask("POST", "/schema/classes/Order", {
    edit: { fields: { total: { type: "Number" }, buyer: { type: "Pointer", targetClass: "_User" } } },
  });
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await purse?.remove();
});
afterEach(async () => {
  await Promise.all(visits.map((each) => each.close()));
  visits = [];
});

async function open(username: string, path = "", options = {}): Promise<Visit> {
  const visitor = await visit(browser, options);
  visitor.page.setDefaultTimeout(10_000);
  visits.push(visitor);
  await signInToStudio(visitor.page, purse, username, path);
  return visitor;
}

async function fieldsOf(className: string): Promise<unknown> {
  return (await owner.ask("GET", `/schema/classes/${className}`)).body.fields;
}

const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true }).first();
const dialog = (page: Page) => page.getByRole("dialog").last();

async function choose(page: Page, label: string, option: string | RegExp): Promise<void> {
  await page.getByRole("combobox", { name: label }).click();
  await page.getByRole("option", { name: option }).click();
}

async function pressInDialog(page: Page, name: string): Promise<void> {
  await dialog(page).getByRole("button", { name, exact: true }).click();
}

describe("owners and operators", () => {
  it("add one with a role, disable them, reset their password, and remove them", async () => {
    const visitor = await open("ada", "/operators");
    const { page } = visitor;
    await page.getByRole("button", { name: "Add an operator" }).click();
    await dialog(page).getByLabel("Name", { exact: true }).fill("hedy");
    await dialog(page).getByLabel("First password").fill("short");
    await choose(page, "Role", /^Editor/);
    await pressInDialog(page, "Add");
    await dialog(page).getByText("12 characters or more").last().waitFor();
    await dialog(page).getByLabel("First password").fill(STUDIO_PASSWORD);
    await pressInDialog(page, "Add");
    const row = page.getByRole("row").filter({ hasText: "hedy" });
    await row.getByText("editor").waitFor();
    await page.getByRole("button", { name: "Change hedy" }).click();
    await dialog(page).getByRole("checkbox").click();
    await pressInDialog(page, "Save");
    await row.getByText("Disabled").waitFor();
    await page.getByRole("button", { name: "Change hedy" }).click();
    await dialog(page).getByRole("checkbox").click();
    await pressInDialog(page, "Save");
    await row.getByText("Active").waitFor();
    await page.getByRole("button", { name: "Change hedy" }).click();
    await pressInDialog(page, "Reset");
    await dialog(page).getByLabel("New password").fill(NEW_PASSWORD);
    await pressInDialog(page, "Reset");
    await page.getByText("hedy can sign in with the new password.").waitFor();
    expect((await new StudioClient(purse).signIn("hedy", NEW_PASSWORD)).status).toBe(201);
    await pressInDialog(page, "Remove");
    await pressInDialog(page, "Remove");
    await expect.poll(() => row.count()).toBe(0);
    // The browser tells of the password that was refused.
    expect(visitor.errors.filter((each) => !/status of 400/.test(each))).toEqual([]);
  });
});

describe("an operator's own account", () => {
  it("gets another password, which ends the other sessions", async () => {
    const other = await addOperator(owner, "grace", "readOnly");
    const visitor = await open("grace", "/operators");
    const { page } = visitor;
    await card(page, "Sessions").getByRole("button", { name: "End", exact: true }).first().waitFor();
    await page.getByLabel("Present password").fill(STUDIO_PASSWORD);
    await page.getByLabel("New password").fill(NEW_PASSWORD);
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.getByText("The password is changed").first().waitFor();
    expect((await other.ask("GET", "/sessions")).status).toBe(401);
    await expect
      .poll(() => card(page, "Sessions").getByRole("button", { name: "End", exact: true }).count())
      .toBe(0);
    expect((await new StudioClient(purse).signIn("grace", NEW_PASSWORD)).status).toBe(201);
    await page.reload();
    await card(page, "Sessions").getByRole("button", { name: "End", exact: true }).click();
    await page.getByText("The session has ended.").first().waitFor();
    expectNoErrors(visitor);
  });

  it("gets a second factor by a code to scan, with recovery codes that are shown once", async () => {
    await addOperator(owner, "alan", "editor");
    const visitor = await open("alan", "/operators");
    const { page } = visitor;
    await page.getByRole("button", { name: "Set it up" }).click();
    await dialog(page).getByLabel("Your password").fill(STUDIO_PASSWORD);
    await pressInDialog(page, "Go on");
    await dialog(page).getByRole("img", { name: "The code to scan" }).waitFor();
    await expectAccessible(page);
    const secret = (await dialog(page).getByRole("region", { name: "Or type this key" }).innerText()).trim();
    await dialog(page).getByLabel("Code of the authenticator").fill(new TOTP({ secret }).generate());
    await pressInDialog(page, "Turn it on");
    const codes = await dialog(page).getByRole("region", { name: "Recovery codes" }).innerText();
    const [code = ""] = codes.trim().split(/\s+/);
    await pressInDialog(page, "I have kept them");
    await page.getByText("On: signing in takes a code too").waitFor();
    expect(await page.getByText(code).count()).toBe(0);
    expect((await new StudioClient(purse).signIn("alan", STUDIO_PASSWORD)).status).toBe(401);
    await page.getByRole("button", { name: "Take it away" }).click();
    await dialog(page).getByLabel("Your password").fill(STUDIO_PASSWORD);
    await dialog(page).getByLabel("Code", { exact: true }).fill(code);
    await pressInDialog(page, "Take it away");
    await page.getByText("Off: the password alone is enough").waitFor();
    expectNoErrors(visitor);
  });
});

describe("the audit trail", () => {
  it("tells who did what, filters by the address of the page, and shows what was before and after", async () => {
    await owner.ask("PUT", "/config", { params: { motto: "old" } });
    await owner.ask("PUT", "/config", { params: { motto: "new" } });
    const visitor = await open("ada", "/audit");
    const { page } = visitor;
    await page.getByRole("row").filter({ hasText: "POST /operators" }).first().waitFor();
    await choose(page, "Action", "PUT /config");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(2);
    expect(new URL(page.url()).searchParams.get("what")).toBe("PUT /config");
    await page.getByRole("button", { name: "Show PUT /config by ada" }).first().click();
    await dialog(page).getByRole("region", { name: "After" }).getByText('"new"').waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await choose(page, "Operator", "edith");
    await page.getByText("Nothing of that kind was done").waitFor();
    await page.getByRole("button", { name: "Show everything" }).click();
    await page.getByRole("row").filter({ hasText: "POST /operators" }).first().waitFor();
    expectNoErrors(visitor);
  });

  it("is for owners alone", async () => {
    const { page } = await open("edith", "/audit");
    await page.getByText("The audit trail is for owners").waitFor();
  });
});

describe("the security check", () => {
  it("says what is open, how bad it is and what to do, and leads to the class", async () => {
    await owner.ask("POST", "/schema/classes/OpenToAll", {
      edit: {
        classLevelPermissions: { find: { "*": true }, addField: { "*": true }, delete: { "*": true } },
      },
    });
    const { body } = await owner.ask("GET", "/security");
    const [worst] = Array.isArray(body.results) ? body.results : [];
    const visitor = await open("edith", "/security");
    const { page } = visitor;
    const first = page
      .getByRole("region", { name: /findings?$/ })
      .getByRole("listitem")
      .first();
    await first.getByText(String(Object(worst).title)).waitFor();
    await first.getByText(String(Object(worst).advice)).waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Open the class OpenToAll" }).first().click();
    await page.getByRole("heading", { name: "OpenToAll", exact: true }).waitFor();
    expectNoErrors(visitor);
  });
});

describe("an editor of classes", () => {
  it("creates a class, sees what each change does before it is done, and gets the code of it", async () => {
    const visitor = await open("edith", "/classes");
    const { page } = visitor;
    await page.getByRole("button", { name: "Create a class" }).click();
    await dialog(page).getByLabel("Name", { exact: true }).fill("9lives");
    await dialog(page).getByText("Letters, digits and _").waitFor();
    await dialog(page).getByLabel("Name", { exact: true }).fill("Game");
    await pressInDialog(page, "Go on");
    await dialog(page).getByText("+ Game", { exact: true }).waitFor();
    await pressInDialog(page, "Create");
    await page.getByRole("heading", { name: "Game", exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get("class")).toBe("Game");
    await page.getByRole("button", { name: "Add a field" }).click();
    await dialog(page).getByLabel("Name", { exact: true }).fill("score");
    await choose(page, "Type", "Number");
    await dialog(page).getByLabel("Default").fill("many");
    await dialog(page).getByText("That must be a number").waitFor();
    await dialog(page).getByLabel("Default").fill("0");
    await dialog(page).getByRole("checkbox").click();
    await pressInDialog(page, "Add");
    await page.getByRole("button", { name: "Add a field" }).click();
    await dialog(page).getByLabel("Name", { exact: true }).fill("player");
    await choose(page, "Type", "Pointer");
    await choose(page, "Target class", "_User");
    await pressInDialog(page, "Add");
    await page.getByRole("button", { name: "Add an index" }).click();
    await choose(page, "Field 1", "score");
    await choose(page, "Order 1", "descending");
    await dialog(page).getByLabel("Name of the index").fill("best");
    await pressInDialog(page, "Add");
    await page.getByText("3 changes are not carried out yet").waitFor();
    expect(await fieldsOf("Game")).not.toHaveProperty("score");
    await page.getByRole("button", { name: "Look at the changes" }).click();
    const lines = dialog(page).getByRole("list", { name: "Changes" });
    await lines.getByText("+ Game.score Number (required, default 0)").waitFor();
    await lines.getByText('+ Game index best {"score":-1}').waitFor();
    await expectAccessible(page);
    await pressInDialog(page, "Apply");
    await page.getByText("Game is changed.").first().waitFor();
    expect(await fieldsOf("Game")).toMatchObject({
      score: { type: "Number", required: true, defaultValue: 0 },
      player: { type: "Pointer", targetClass: "_User" },
    });
    await page.getByRole("button", { name: "Remove score" }).click();
    await page.getByRole("button", { name: "Undo the change of score" }).click();
    await page.getByRole("button", { name: "Remove player" }).click();
    await page.getByRole("button", { name: "Look at the changes" }).click();
    await dialog(page).getByText("- Game.player with its values").waitFor();
    await pressInDialog(page, "Apply");
    await expect.poll(() => fieldsOf("Game")).not.toHaveProperty("player");
    await page.getByRole("tab", { name: "As code" }).click();
    await page.getByText('score: { type: "Number", required: true, defaultValue: 0 }').waitFor();
    expect(await page.getByRole("button", { name: "Copy: schemas of purse.config.ts" }).count()).toBe(1);
    expectNoErrors(visitor);
  });

  it("does not empty or drop one; an owner does, once its name is typed", async () => {
    await owner.ask("POST", "/schema/classes/Scrap", { edit: { fields: { a: { type: "Number" } } } });
    await owner.ask("POST", "/data/Scrap/rows", { fields: { a: 1 } });
    const { page: editors } = await open("edith", "/classes?class=Scrap");
    await expect.poll(() => editors.getByRole("button", { name: "Drop Scrap" }).isDisabled()).toBe(true);
    const { page } = await open("ada", "/classes?class=Scrap");
    await page.getByRole("button", { name: "Drop Scrap" }).click();
    expect(await dialog(page).getByRole("button", { name: "Drop it" }).isDisabled()).toBe(true);
    await dialog(page).getByLabel("Type Scrap to go on").fill("Scrap");
    await pressInDialog(page, "Drop it");
    await dialog(page).getByText("not empty").first().waitFor();
    await pressInDialog(page, "Cancel");
    await page.getByRole("button", { name: "Empty Scrap" }).click();
    await dialog(page).getByLabel("Type Scrap to go on").fill("Scrap");
    await pressInDialog(page, "Delete all rows");
    await page.getByText("Scrap is empty.").first().waitFor();
    await page.getByRole("button", { name: "Drop Scrap" }).click();
    await dialog(page).getByLabel("Type Scrap to go on").fill("Scrap");
    await pressInDialog(page, "Drop it");
    await page.getByText("Scrap is gone.").first().waitFor();
    expect((await owner.ask("GET", "/schema/classes/Scrap")).status).toBeGreaterThanOrEqual(400);
  });
});

describe.each([
  ["a wide window", 1280],
  ["a phone", 390],
])("in %s", (_, width) => {
  it("every room of rights can be used by everyone, and none is wider than the window", async () => {
    const visitor = await open("ada", "", { viewport: { width, height: 844 }, reducedMotion: "reduce" });
    const { page } = visitor;
    for (const [path, title] of ROOMS) {
      await page.goto(`${purse.url}/studio${path}`);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      await expect.poll(() => page.locator("main .skeleton").count()).toBe(0);
      await expectAccessible(page);
      const scroll = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(scroll, path).toBeLessThanOrEqual(width);
    }
    expectNoErrors(visitor);
  }, 60_000);
});
