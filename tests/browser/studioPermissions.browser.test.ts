import type { JsonObject } from "@purse/protocol";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { expectAccessible } from "../support/accessibility.ts";
import { expectNoErrors, releaseBrowser, testBrowser, type Visit, visit } from "../support/browser.ts";
import { type Purse, rest, signUp } from "../support/purse.ts";
import { hostSite } from "../support/site.ts";
import { addOperator, openStudio, type StudioClient, setUpStudio } from "../support/studio.ts";
import { card, choose, dialog, pressInDialog } from "../support/studioPage.ts";

let purse: Purse;
let browser: Browser;
let owner: StudioClient;
let visits: Visit[] = [];

beforeAll(async () => {
  [purse, browser] = await Promise.all([hostSite(), testBrowser()]);
  owner = await setUpStudio(purse);
  await addOperator(owner, "edith", "editor");
  await addOperator(owner, "guest", "readOnly");
}, 120_000);
afterAll(async () => {
  await releaseBrowser(browser);
  await purse?.remove();
});
afterEach(async () => {
  await Promise.all(visits.map((each) => each.close()));
  visits = [];
});

async function open(username: string, path: string): Promise<Visit> {
  const visitor = await visit(browser);
  visitor.page.setDefaultTimeout(30_000);
  visits.push(visitor);
  await openStudio(visitor.page, purse, username, path);
  return visitor;
}

const MASTER = { useMasterKey: true };
const pointer = (className: string, objectId: string) => ({ __type: "Pointer", className, objectId });

/** Creates a role with users and child roles; returns its ID. */
async function roleOf(name: string, has: { users?: string[]; roles?: string[] } = {}): Promise<string> {
  const relation = (className: string, ids: string[] | undefined) =>
    ids && { __op: "AddRelation", objects: ids.map((id) => pointer(className, id)) };
  const fields = { users: relation("_User", has.users), roles: relation("_Role", has.roles) };
  return String((await rest(purse, "POST", "/roles", { name, ACL: {}, ...fields }, MASTER)).body.objectId);
}

async function classOf(className: string, edit: JsonObject): Promise<void> {
  await owner.request("POST", `/schema/classes/${className}`, { edit });
}

async function permissionsOf(className: string): Promise<unknown> {
  return (await owner.request("GET", `/schema/classes/${className}`)).body.classLevelPermissions;
}

const READABLE: JsonObject = {
  get: { "*": true },
  find: { "*": true },
  count: { requiresAuthentication: true },
  create: { requiresAuthentication: true },
};

it("the permissions of a class are edited in a matrix by keyboard and mouse after a preview, and kept when saving fails", async () => {
  const className = "Desk";
  const [below, above] = ["Below", "Above"];
  await roleOf(above, { roles: [await roleOf(below)] });
  const { username } = await signUp(purse);
  await classOf(className, {
    fields: { note: { type: "String" }, owner: { type: "Pointer", targetClass: "_User" } },
    classLevelPermissions: { ...READABLE, update: { [`role:${above}`]: true } },
  });
  const visitor = await open("edith", `/classes?class=${className}`);
  const { page } = visitor;
  await page.getByRole("main").getByRole("link", { name: "Permissions", exact: true }).click();
  const grid = page.getByRole("grid", { name: `Permissions of ${className}` });
  const cell = (name: string | RegExp) => grid.getByRole("checkbox", { name });
  await cell("Everyone: get").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  await cell("Everyone: find, not saved yet").waitFor();
  await page.keyboard.press("Control+End");
  await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel)).toBe("owner: all");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const create = "owner: create, not applicable: a new object has no pointers yet";
  await grid.getByRole("button", { name: create }).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Add role or user" }).click();
  await choose(page, "Who", "Specific user");
  await dialog(page).getByRole("combobox", { name: "User" }).fill(username);
  await dialog(page).getByRole("option", { name: username }).first().waitFor();
  await page.keyboard.press("Enter");
  await pressInDialog(page, "Add");
  await cell(`${username}: count, inherited from Authenticated`).waitFor();
  await cell(`${above}: delete`).click();
  await cell("Everyone: addField").click();
  await grid.getByText("Master key only").first().waitFor();
  const pending = card(page, "Pending changes");
  await pending.getByText("4 pending changes").waitFor();
  await pending.getByText("Revoke find from Everyone").waitFor();
  await pending.getByText("Grant update to owner").waitFor();
  await pending.getByText("Public write access").waitFor();
  await pending.getByRole("button", { name: "Undo: Grant addField to Everyone" }).click();
  await page.getByRole("checkbox", { name: "note: hidden from Everyone" }).click();
  await expectAccessible(page);
  await page.route("**/studio/api/schema/classes/*", (route) =>
    route.request().method() === "PUT"
      ? route.fulfill({ status: 503, json: { code: 1, error: "The disk is full." } })
      : route.fallback(),
  );
  await page.getByRole("button", { name: "Review changes" }).click();
  const lines = dialog(page).getByRole("list", { name: "Changes" });
  await lines.getByText(`~ ${className} permission find {}`).waitFor();
  await pressInDialog(page, "Apply");
  await dialog(page).getByText("The disk is full.").waitFor();
  await pressInDialog(page, "Cancel");
  await page.unroute("**/studio/api/schema/classes/*");
  // A concurrent change of the class by another operator is kept.
  await owner.request("PUT", `/schema/classes/${className}`, {
    edit: {
      classLevelPermissions: { ...READABLE, update: { [`role:${above}`]: true }, count: { "*": true } },
    },
  });
  await page.getByRole("button", { name: "Review changes" }).click();
  await pressInDialog(page, "Apply");
  await page.getByText(`Permissions of ${className} updated`).first().waitFor();
  expect(await permissionsOf(className)).toMatchObject({
    get: { "*": true },
    find: {},
    count: { "*": true },
    update: { [`role:${above}`]: true, pointerFields: ["owner"] },
    delete: { [`role:${above}`]: true },
    addField: {},
    protectedFields: { "*": ["note"] },
  });
  expect(await pending.count()).toBe(0);
  expect(visitor.errors.filter((each) => !/status of 503/.test(each))).toEqual([]);
});

it("the access check explains the result of each permission check, shows the deciding one, and is kept in the URL", async () => {
  const className = "Paper";
  const username = "grace";
  const { id } = await signUp(purse, { username });
  const [below, above] = ["Interns", "Office"];
  await roleOf(above, { roles: [await roleOf(below, { users: [id] })] });
  await classOf(className, { classLevelPermissions: { ...READABLE, update: { [`role:${above}`]: true } } });
  const ACL = { "role:Nobody": { write: true }, "*": { read: true } };
  const { body } = await rest(purse, "POST", `/classes/${className}`, { ACL }, MASTER);
  const visitor = await open("guest", "/permissions?show=question");
  const { page } = visitor;
  await page.getByRole("combobox", { name: "User" }).fill(username);
  await page.getByRole("option", { name: username }).first().waitFor();
  await page.keyboard.press("Enter");
  await choose(page, "Class", className);
  await page.getByRole("button", { name: /^update/ }).click();
  const answer = card(page, "Result");
  await answer.getByText(`Allowed: ${username} can update ${className}.`).waitFor();
  await answer.getByText("direct member").waitFor();
  await answer.getByText(`inherited via ${below}`).waitFor();
  await page.getByRole("combobox", { name: "Object" }).focus();
  await page.getByRole("option", { name: String(body.objectId) }).click();
  await answer.getByText(`Denied: ${username} can't update ${className} ${body.objectId}.`).waitFor();
  const steps = answer.getByRole("list", { name: "Evaluation steps" });
  const deciding = steps.getByRole("listitem").filter({ hasText: "Decisive" });
  await deciding.getByText("The ACL lets only role:Nobody write", { exact: false }).waitFor();
  expect(await deciding.count()).toBe(1);
  await expectAccessible(page);
  const requested = new URL(page.url()).searchParams;
  expect(Object.fromEntries(requested)).toMatchObject({ class: className, user: id, operation: "update" });
  await page.reload();
  await answer.getByText(`Denied: ${username} can't update`).waitFor();
  await page.getByRole("button", { name: /^get/ }).click();
  await answer.getByText(`Allowed: ${username} can get`).waitFor();
  expectNoErrors(visitor);
});
