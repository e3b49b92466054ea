import type { JsonObject } from "@purse/protocol";
import { expect, it } from "vitest";
import { expectAccessible } from "../support/accessibility.ts";
import { rest, signUp } from "../support/purse.ts";
import { serveStudio } from "../support/studioApp.ts";
import { card, choose, dialog, pressInDialog } from "../support/studioPage.ts";

const studio = serveStudio();

const MASTER = { useMasterKey: true };
const pointer = (className: string, objectId: string) => ({ __type: "Pointer", className, objectId });

/** Creates a role with users and child roles; returns its ID. */
async function roleOf(name: string, has: { users?: string[]; roles?: string[] } = {}): Promise<string> {
  const relation = (className: string, ids: string[] | undefined) =>
    ids && { __op: "AddRelation", objects: ids.map((id) => pointer(className, id)) };
  const fields = { users: relation("_User", has.users), roles: relation("_Role", has.roles) };
  return String(
    (await rest(studio.purse, "POST", "/roles", { name, ACL: {}, ...fields }, MASTER)).body.objectId,
  );
}

async function classOf(className: string, edit: JsonObject): Promise<void> {
  await studio.owner.request("POST", `/schema/classes/${className}`, { edit });
}

async function permissionsOf(className: string): Promise<unknown> {
  return (await studio.owner.request("GET", `/schema/classes/${className}`)).body.classLevelPermissions;
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
  const { username } = await signUp(studio.purse);
  await classOf(className, {
    fields: { note: { type: "String" }, owner: { type: "Pointer", targetClass: "_User" } },
    classLevelPermissions: { ...READABLE, update: { [`role:${above}`]: true } },
  });
  const visitor = await studio.open("edith", `/classes?class=${className}`);
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
  await studio.owner.request("PUT", `/schema/classes/${className}`, {
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
