import type { JsonObject } from "@purse/protocol";
import { TOTP } from "otpauth";
import { beforeAll, describe, expect, it } from "vitest";
import { expectAccessible } from "../support/accessibility.ts";
import { byName, expectNoErrors, installAuthenticator } from "../support/browser.ts";
import { follow } from "../support/navigation.ts";
import { rest, signUp } from "../support/purse.ts";
import { hostSite } from "../support/site.ts";
import { addOperator, STUDIO_PASSWORD, StudioClient, signInToStudio } from "../support/studio.ts";
import { serveStudio } from "../support/studioApp.ts";
import { card, choose, dialog, pressInDialog } from "../support/studioPage.ts";

/** The pages about permissions of a class with pointers and of roles; studioWork.nightly.browser.test.ts opens all others. */
const PAGES: readonly (readonly [path: string, title: string])[] = [
  ["/classes?class=Order", "Classes"],
  ["/permissions?class=Order", "Permissions"],
  // Between tabs of the same page: see follow().
  ["/roles", "Roles"],
  ["/permissions?show=question&class=Order&operation=update", "Permissions"],
];
const NEW_PASSWORD = "seven green bottles";

const studio = serveStudio(() => hostSite({ devChain: true }));
beforeAll(async () => {
  await studio.owner.request("POST", "/schema/classes/Order", {
    edit: { fields: { total: { type: "Number" }, buyer: { type: "Pointer", targetClass: "_User" } } },
  });
});

const MASTER = { useMasterKey: true };
let made = 0;

/** Returns an unused name. */
function fresh(name: string): string {
  made += 1;
  return `${name}${made}`;
}

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

async function rolesIn(): Promise<{ name: string; gate?: JsonObject }[]> {
  return JSON.parse(JSON.stringify((await studio.owner.request("GET", "/roles")).body.roles));
}

async function fieldsOf(className: string): Promise<unknown> {
  return (await studio.owner.request("GET", `/schema/classes/${className}`)).body.fields;
}

describe("an owner", () => {
  it("adds operators with a role, disables them, resets their passwords, and removes them", async () => {
    const visitor = await studio.open("ada", "/operators");
    const { page } = visitor;
    await page.getByRole("button", { name: "Add operator" }).click();
    await dialog(page).getByLabel("Name", { exact: true }).fill("hedy");
    await dialog(page).getByLabel("Initial password").fill("short");
    await choose(page, "Role", /^Editor/);
    await pressInDialog(page, "Add");
    await dialog(page).getByText("At least 12 characters").last().waitFor();
    await dialog(page).getByLabel("Initial password").fill(STUDIO_PASSWORD);
    await pressInDialog(page, "Add");
    const row = page.getByRole("row").filter({ hasText: "hedy" });
    await row.getByText("editor").waitFor();
    await page.getByRole("button", { name: "Edit hedy" }).click();
    await dialog(page).getByRole("checkbox").click();
    await pressInDialog(page, "Save");
    await row.getByText("Disabled").waitFor();
    await page.getByRole("button", { name: "Edit hedy" }).click();
    await dialog(page).getByRole("checkbox").click();
    await pressInDialog(page, "Save");
    await row.getByText("Active").waitFor();
    await page.getByRole("button", { name: "Edit hedy" }).click();
    await pressInDialog(page, "Reset");
    await dialog(page).getByLabel("New password").fill(NEW_PASSWORD);
    await pressInDialog(page, "Reset");
    await page.getByText("Access reset for hedy").waitFor();
    expect((await new StudioClient(studio.purse).signIn("hedy", NEW_PASSWORD)).status).toBe(201);
    await pressInDialog(page, "Remove");
    await pressInDialog(page, "Remove");
    await expect.poll(() => row.count()).toBe(0);
    // The browser logs an error for the rejected password.
    expect(visitor.errors.filter((each) => !/status of 400/.test(each))).toEqual([]);
  });
});

describe("the account page of an operator", () => {
  it("changes the password, which revokes the other sessions", async () => {
    const other = await addOperator(studio.owner, "grace", "readOnly");
    const visitor = await studio.open("grace", "/operators");
    const { page } = visitor;
    await card(page, "Sessions").getByRole("button", { name: "Revoke", exact: true }).first().waitFor();
    await page.getByLabel("Current password").fill(STUDIO_PASSWORD);
    await page.getByLabel("New password").fill(NEW_PASSWORD);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("Password changed").first().waitFor();
    expect((await other.request("GET", "/sessions")).status).toBe(401);
    await expect
      .poll(() => card(page, "Sessions").getByRole("button", { name: "Revoke", exact: true }).count())
      .toBe(0);
    expect((await new StudioClient(studio.purse).signIn("grace", NEW_PASSWORD)).status).toBe(201);
    await page.reload();
    await card(page, "Sessions").getByRole("button", { name: "Revoke", exact: true }).click();
    await page.getByText("Session revoked").first().waitFor();
    expectNoErrors(visitor);
  });

  it("sets up a second factor with a QR code and recovery codes that are shown once", async () => {
    await addOperator(studio.owner, "alan", "editor");
    const visitor = await studio.open("alan", "/operators");
    const { page } = visitor;
    await page.getByRole("button", { name: "Set up" }).click();
    await dialog(page).getByLabel("Your password").fill(STUDIO_PASSWORD);
    await pressInDialog(page, "Continue");
    await dialog(page).getByRole("img", { name: "QR code" }).waitFor();
    await expectAccessible(page);
    const secret = (
      await dialog(page).getByRole("region", { name: "Or enter this key manually" }).innerText()
    ).trim();
    await dialog(page).getByLabel("Authenticator code").fill(new TOTP({ secret }).generate());
    await pressInDialog(page, "Enable");
    const codes = await dialog(page).getByRole("region", { name: "Recovery codes" }).innerText();
    const [code = ""] = codes.trim().split(/\s+/);
    await pressInDialog(page, "I've saved my recovery codes");
    await page.getByText("On – code required at sign-in").waitFor();
    expect(await page.getByText(code).count()).toBe(0);
    expect((await new StudioClient(studio.purse).signIn("alan", STUDIO_PASSWORD)).status).toBe(401);
    await page.getByRole("button", { name: "Disable" }).click();
    await dialog(page).getByLabel("Your password").fill(STUDIO_PASSWORD);
    await dialog(page).getByLabel("Code", { exact: true }).fill(code);
    await pressInDialog(page, "Disable");
    await page.getByText("Off – password only").waitFor();
    expectNoErrors(visitor);
  });
});

describe("a passkey of an operator", () => {
  it("is added with the password, signs in, and replaces the code", async () => {
    await addOperator(studio.owner, "mary", "editor");
    const visitor = await studio.openWindow();
    const { page } = visitor;
    const site = byName(studio.purse);
    await installAuthenticator(page);
    await signInToStudio(page, site, "mary", "/operators");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await dialog(page).getByLabel("Name").fill("Desk");
    await dialog(page).getByLabel("Your password").fill(STUDIO_PASSWORD);
    await pressInDialog(page, "Continue");
    await page.getByRole("list", { name: "Passkeys" }).getByText("Desk").waitFor();
    await expectAccessible(page);
    await page.context().clearCookies();
    await page.reload();
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByRole("button", { name: "Operator mary" }).waitFor();
    expectNoErrors(visitor);

    await page.getByRole("button", { name: "Set up" }).click();
    await dialog(page).getByLabel("Your password").fill(STUDIO_PASSWORD);
    await pressInDialog(page, "Continue");
    const secret = await dialog(page).getByRole("region", { name: "Or enter this key manually" }).innerText();
    await dialog(page)
      .getByLabel("Authenticator code")
      .fill(new TOTP({ secret: secret.trim() }).generate());
    await pressInDialog(page, "Enable");
    await pressInDialog(page, "I've saved my recovery codes");
    await page.context().clearCookies();
    await page.reload();
    await page.getByLabel("Username").fill("mary");
    await page.getByRole("textbox", { name: "Password", exact: true }).fill(STUDIO_PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Code", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Operator mary" }).waitFor();
    await page.getByRole("button", { name: "Remove Desk" }).click();
    await dialog(page).getByLabel("Your password").fill(STUDIO_PASSWORD);
    await pressInDialog(page, "Remove");
    await page.getByText("No passkeys yet").waitFor();
  });
});

describe("the audit log", () => {
  it("shows who did what with values before and after, and keeps filters in the URL", async () => {
    await studio.owner.request("PUT", "/config", { params: { motto: "old" } });
    await studio.owner.request("PUT", "/config", { params: { motto: "new" } });
    const visitor = await studio.open("ada", "/audit");
    const { page } = visitor;
    await page.getByRole("row").filter({ hasText: "added the operator" }).first().waitFor();
    await choose(page, "Action", "Someone changed the config: …");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(2);
    expect(new URL(page.url()).searchParams.get("what")).toBe("PUT /config");
    await page.getByRole("button", { name: "Show details: ada changed the config: motto" }).first().click();
    await dialog(page).getByRole("region", { name: "After" }).getByText('"new"').waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await choose(page, "Operator", "edith");
    await page.getByText("No matching entries").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("row").filter({ hasText: "added the operator" }).first().waitFor();
    expectNoErrors(visitor);
  });
});

describe("the class editor", () => {
  it("creates a class, previews each change, and generates code for it", async () => {
    const visitor = await studio.open("ada", "/classes");
    const { page } = visitor;
    await page.getByRole("button", { name: "Create class" }).click();
    await dialog(page).getByLabel("Name", { exact: true }).fill("9lives");
    await dialog(page).getByText("Use letters, digits and _").waitFor();
    await dialog(page).getByLabel("Name", { exact: true }).fill("Game");
    await pressInDialog(page, "Continue");
    await dialog(page).getByText("+ Game", { exact: true }).waitFor();
    await pressInDialog(page, "Create");
    await page.getByRole("heading", { name: "Game", exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get("class")).toBe("Game");
    await page.getByRole("button", { name: "Add field" }).click();
    await dialog(page).getByLabel("Name", { exact: true }).fill("score");
    await choose(page, "Type", "Number");
    await dialog(page).getByLabel("Default value").fill("many");
    await dialog(page).getByText("Enter a number").waitFor();
    await dialog(page).getByLabel("Default value").fill("0");
    await dialog(page).getByRole("checkbox").click();
    await pressInDialog(page, "Add");
    await page.getByRole("button", { name: "Add field" }).click();
    await dialog(page).getByLabel("Name", { exact: true }).fill("player");
    await choose(page, "Type", "Pointer");
    await choose(page, "Target class", "_User");
    await pressInDialog(page, "Add");
    await page.getByRole("button", { name: "Add index" }).click();
    await choose(page, "Field 1", "score");
    await choose(page, "Order 1", "descending");
    await dialog(page).getByLabel("Index name").fill("best");
    await pressInDialog(page, "Add");
    await page.getByText("3 pending changes").waitFor();
    expect(await fieldsOf("Game")).not.toHaveProperty("score");
    await page.getByRole("button", { name: "Review changes" }).click();
    const lines = dialog(page).getByRole("list", { name: "Changes" });
    await lines.getByText("+ Game.score Number (required, default 0)").waitFor();
    await lines.getByText('+ Game index best {"score":-1}').waitFor();
    await expectAccessible(page);
    await pressInDialog(page, "Apply");
    await page.getByText("Game updated").first().waitFor();
    expect(await fieldsOf("Game")).toMatchObject({
      score: { type: "Number", required: true, defaultValue: 0 },
      player: { type: "Pointer", targetClass: "_User" },
    });
    await page.getByRole("button", { name: "Remove score" }).click();
    await page.getByRole("button", { name: "Undo change to score" }).click();
    await page.getByRole("button", { name: "Remove player" }).click();
    await page.getByRole("button", { name: "Review changes" }).click();
    await dialog(page).getByText("- Game.player with its values").waitFor();
    await pressInDialog(page, "Apply");
    await expect.poll(() => fieldsOf("Game")).not.toHaveProperty("player");
    await page.getByRole("tab", { name: "Code" }).click();
    await page.getByText('score: { type: "Number", required: true, defaultValue: 0 }').waitFor();
    expect(await page.getByRole("button", { name: "Copy schemas of purse.config.ts" }).count()).toBe(1);
    expectNoErrors(visitor);
  });

  it("deletes a class only for an owner who types its name", async () => {
    await studio.owner.request("POST", "/schema/classes/Scrap", {
      edit: { fields: { a: { type: "Number" } } },
    });
    await studio.owner.request("POST", "/data/Scrap/rows", { fields: { a: 1 } });
    const { page: editors } = await studio.open("edith", "/classes?class=Scrap");
    await expect.poll(() => editors.getByRole("button", { name: "Delete Scrap" }).isDisabled()).toBe(true);
    const { page } = await studio.open("ada", "/classes?class=Scrap");
    await page.getByRole("button", { name: "Delete Scrap" }).click();
    await expect
      .poll(() => dialog(page).getByRole("button", { name: "Delete class" }).isDisabled())
      .toBe(true);
    await dialog(page).getByLabel("Type Scrap to confirm").fill("Scrap");
    await pressInDialog(page, "Delete class");
    await dialog(page).getByText("not empty").first().waitFor();
    await pressInDialog(page, "Cancel");
    await page.getByRole("button", { name: "Delete all rows of Scrap" }).click();
    await dialog(page).getByLabel("Type Scrap to confirm").fill("Scrap");
    await pressInDialog(page, "Delete all rows");
    await page.getByText("All rows of Scrap deleted").first().waitFor();
    await page.getByRole("button", { name: "Delete Scrap" }).click();
    await dialog(page).getByLabel("Type Scrap to confirm").fill("Scrap");
    await pressInDialog(page, "Delete class");
    await page.getByText("Scrap deleted", { exact: true }).first().waitFor();
    expect((await studio.owner.request("GET", "/schema/classes/Scrap")).status).toBeGreaterThanOrEqual(400);
  });
});

describe("roles", () => {
  it("are created, get users and child roles, are shown as a graph, and are deleted after a typed confirmation", async () => {
    const username = fresh("linus");
    await signUp(studio.purse, { username });
    const [crew, ship] = [fresh("Crew"), fresh("Ship")];
    await roleOf(ship);
    const visitor = await studio.open("edith", "/roles");
    const { page } = visitor;
    await page.getByRole("button", { name: "Create role" }).click();
    await dialog(page).getByLabel("Name", { exact: true }).fill("no/role");
    await dialog(page).getByText("Use letters, digits, _, - and spaces.").waitFor();
    await dialog(page).getByLabel("Name", { exact: true }).fill(crew);
    await pressInDialog(page, "Create");
    await page.getByRole("heading", { name: crew, exact: true }).waitFor();
    await page.getByRole("button", { name: "Add user" }).click();
    await dialog(page).getByRole("combobox", { name: "User" }).fill(username);
    await dialog(page).getByRole("option", { name: username }).first().waitFor();
    await page.keyboard.press("Enter");
    await pressInDialog(page, "Add");
    const users = page.getByRole("list", { name: `Users of ${crew}` });
    await users.getByText(username).waitFor();
    await page.getByRole("button", { name: "Add parent role" }).click();
    await dialog(page).getByRole("combobox", { name: "Role" }).fill(ship);
    await dialog(page).getByRole("option", { name: ship }).first().waitFor();
    await page.keyboard.press("Enter");
    await pressInDialog(page, "Add");
    const graph = page.getByRole("group", { name: /^Role graph/ });
    const node = graph.getByRole("button", { name: `${crew}, child of ${ship}` });
    await node.focus();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: ship, exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get("role")).toBe(ship);
    await page.locator("summary").getByText(`Via ${crew}`).click();
    await users.getByText(username).waitFor();
    // A child role cannot become its parent.
    await page.getByRole("button", { name: "Add parent role" }).click();
    await dialog(page).getByRole("combobox", { name: "Role" }).fill(crew);
    await dialog(page).getByRole("option", { name: crew }).first().waitFor();
    await page.keyboard.press("Enter");
    await dialog(page).getByText(`${crew} → ${ship} → ${crew}`).waitFor();
    await expect
      .poll(() => dialog(page).getByRole("button", { name: "Add", exact: true }).isDisabled())
      .toBe(true);
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Discard" }).click();
    await dialog(page).waitFor({ state: "detached" });
    await page
      .getByRole("navigation", { name: "Roles", exact: true })
      .getByRole("button", { name: crew })
      .click();
    await page.getByRole("button", { name: `Remove ${username} from ${crew}` }).click();
    await page.getByRole("button", { name: "Undo", exact: true }).first().click();
    await users.getByText(username).waitFor();
    await page.getByRole("button", { name: `Delete ${crew}` }).click();
    await dialog(page).getByLabel(`Type ${crew} to confirm`).fill(crew);
    await pressInDialog(page, "Delete role");
    await page.getByText(`${crew} deleted`).first().waitFor();
    expect((await rolesIn()).map(({ name }) => name)).not.toContain(crew);
    expectNoErrors(visitor);
  });

  it("that form a cycle are shown as errors, and the cycle can be broken", async () => {
    const [a, b] = [fresh("Hen"), fresh("Egg")];
    const hen = await roleOf(a);
    const egg = await roleOf(b, { roles: [hen] });
    const roles = { __op: "AddRelation", objects: [pointer("_Role", egg)] };
    await rest(studio.purse, "PUT", `/roles/${hen}`, { roles }, MASTER);
    const { page: looking } = await studio.open("guest", `/roles?role=${a}`);
    await looking.getByRole("alert").filter({ hasText: a }).waitFor();
    await expect
      .poll(() =>
        looking
          .getByRole("button", { name: `Remove ${a} from ${b}` })
          .first()
          .isDisabled(),
      )
      .toBe(true);
    await expect.poll(() => looking.getByRole("button", { name: "Add user" }).isDisabled()).toBe(true);
    const visitor = await studio.open("edith", `/roles?role=${a}`);
    const { page } = visitor;
    const ring = page.getByRole("alert").filter({ hasText: a });
    await page.getByRole("button", { name: new RegExp(`^${a}, .*part of a cycle$`) }).waitFor();
    await expectAccessible(page);
    await ring.getByRole("button", { name: `Remove ${a} from ${b}` }).click();
    await ring.waitFor({ state: "detached" });
    expectNoErrors(visitor);
  });

  it("get a token gate after its form is valid, which can be removed again", async () => {
    const name = fresh("Holders");
    await roleOf(name);
    const visitor = await studio.open("edith", `/roles?role=${name}`);
    const { page } = visitor;
    await page.getByRole("button", { name: "Add token gate" }).click();
    await dialog(page).getByLabel("Token address").fill("0x12");
    await dialog(page).getByText("Invalid address").waitFor();
    await dialog(page)
      .getByLabel("Token address")
      .fill(`0x${"ab".repeat(20)}`);
    await choose(page, "Standard", /^ERC1155/);
    await dialog(page).getByText("ERC1155 requires a token ID.").waitFor();
    await dialog(page).getByLabel("Token ID").fill("7");
    await dialog(page).getByLabel("Minimum balance").fill("2");
    await expectAccessible(page);
    await pressInDialog(page, "Save");
    await page
      .getByText(`Users who hold at least 2 of this token across all linked wallets are members of ${name}`)
      .waitFor();
    const gate = async () => (await rolesIn()).find((role) => role.name === name)?.gate;
    expect(await gate()).toMatchObject({ chainId: 1337, standard: "ERC1155", tokenId: "7", min: "2" });
    await page.getByRole("button", { name: "Remove token gate" }).click();
    await expect.poll(gate).toBeUndefined();
    await page.getByRole("button", { name: "Add token gate" }).waitFor();
    expectNoErrors(visitor);
  });
});

it("the access check explains the result of each permission check, shows the deciding one, and is kept in the URL", async () => {
  const className = "Paper";
  const username = "grace";
  const { id } = await signUp(studio.purse, { username });
  const [below, above] = ["Interns", "Office"];
  await roleOf(above, { roles: [await roleOf(below, { users: [id] })] });
  const anyone = { "*": true };
  const update = { [`role:${above}`]: true };
  const classLevelPermissions = { get: anyone, find: anyone, count: {}, create: {}, update };
  await studio.owner.request("POST", `/schema/classes/${className}`, { edit: { classLevelPermissions } });
  const ACL = { "role:Nobody": { write: true }, "*": { read: true } };
  const { body } = await rest(studio.purse, "POST", `/classes/${className}`, { ACL }, MASTER);
  const visitor = await studio.open("guest", "/permissions?show=question");
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

describe("every page about permissions", () => {
  it("is accessible and fits a wide window and a phone", async () => {
    const visitor = await studio.open("ada");
    const { page } = visitor;
    for (const [path, title] of PAGES) {
      await follow(page, `${studio.purse.url}/studio${path}`);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      await expect.poll(() => page.locator("main .skeleton").count()).toBe(0);
      await expectAccessible(page);
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 });
        const scrollWidth = () => page.evaluate(() => document.documentElement.scrollWidth);
        await expect.poll(scrollWidth, { message: path }).toBeLessThanOrEqual(width);
      }
      // Only the layout differs on a phone.
      if (path === "/permissions?class=Order" || path === "/roles") await expectAccessible(page);
      await page.setViewportSize({ width: 1280, height: 844 });
    }
    expectNoErrors(visitor);
  }, 180_000);
});
