import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Purse, startPurse } from "../support/purse.ts";

// The unmodified current client, as npm has it.
const Parse = createRequire(import.meta.url)("parse/node");

let purse: Purse;

beforeAll(async () => {
  purse = await startPurse();
  Parse.initialize(purse.appId, undefined, purse.masterKey);
  Parse.serverURL = purse.serverUrl;
}, 60_000);
afterAll(async () => {
  await Parse.LiveQuery.close();
  await purse?.remove();
});

async function signUp(username: string) {
  return Parse.User.signUp(username, "a password", { mood: "fine" });
}

describe("parse@8.6.0, unmodified", () => {
  it("signs up and in, and is refused in the known words", async () => {
    const user = await signUp("ann");
    expect(user.getSessionToken()).toMatch(/^r:/);
    const again = await Parse.User.logIn("ann", "a password");
    expect(again.get("mood")).toBe("fine");
    await expect(signUp("ann")).rejects.toMatchObject({ code: 202 });
    await expect(Parse.User.logIn("ann", "wrong")).rejects.toMatchObject({ code: 101 });
    await expect(Parse.User.me("r:none")).rejects.toMatchObject({ code: 209 });
  });

  it("[3.session.user] [3.session.created-with] [3.session.expires-at] [3.session.restricted] tells of the session", async () => {
    const user = await signUp("sam");
    const session = await new Parse.Query(Parse.Session).first({ sessionToken: user.getSessionToken() });
    expect(session.get("user").id).toBe(user.id);
    expect(session.get("restricted")).toBe(false);
    expect(session.get("expiresAt").getTime()).toBeGreaterThan(Date.now());
    expect(session.get("createdWith")).toEqual({ action: "signup", authProvider: "password" });
  });

  it("finds by many constraints, ordered, paged and counted", async () => {
    const rows = Array.from(
      { length: 10 },
      (_, n) => new Parse.Object("Row", { n, even: n % 2 === 0, name: `row ${n}`, tags: [`t${n % 3}`] }),
    );
    await Parse.Object.saveAll(rows);
    const ns = async (build: (query: typeof Parse.Query) => typeof Parse.Query) =>
      (await build(new Parse.Query("Row")).ascending("n").find()).map((row: typeof Parse.Object) =>
        row.get("n"),
      );
    expect(await ns((query) => query.greaterThan("n", 6).lessThanOrEqualTo("n", 8))).toEqual([7, 8]);
    expect(await ns((query) => query.containedIn("n", [1, 3, 99]))).toEqual([1, 3]);
    expect(await ns((query) => query.notContainedIn("n", [0, 1, 2, 3, 4, 5, 6]).notEqualTo("n", 9))).toEqual([
      7, 8,
    ]);
    expect(await ns((query) => query.equalTo("even", true).skip(1).limit(2))).toEqual([2, 4]);
    expect(await ns((query) => query.equalTo("tags", "t1"))).toEqual([1, 4, 7]);
    expect(await ns((query) => query.matches("name", /ROW [12]/i))).toEqual([1, 2]);
    expect(await ns((query) => query.endsWith("name", "3"))).toEqual([3]);
    expect(await ns((query) => query.exists("missing"))).toEqual([]);
    const either = Parse.Query.or(
      new Parse.Query("Row").equalTo("n", 0),
      new Parse.Query("Row").equalTo("n", 9),
    );
    expect(await either.count()).toBe(2);
    const { results, count } = await new Parse.Query("Row").withCount().limit(1).find();
    expect([results.length, count]).toEqual([1, 10]);
    const [selected] = await new Parse.Query("Row").select("n").limit(1).find();
    expect(selected.has("name")).toBe(false);
  });

  it("keeps what an ACL does not give", async () => {
    const [owner, other] = await Promise.all([signUp("owner"), signUp("other")]);
    const diary = new Parse.Object("Diary", { text: "dear" });
    diary.setACL(new Parse.ACL(owner));
    await diary.save(null, { sessionToken: owner.getSessionToken() });
    const query = () => new Parse.Query("Diary");
    expect(await query().find({ sessionToken: other.getSessionToken() })).toEqual([]);
    expect(await query().find({ sessionToken: owner.getSessionToken() })).toHaveLength(1);
    await expect(diary.save({ text: "x" }, { sessionToken: other.getSessionToken() })).rejects.toMatchObject({
      code: 101,
    });
  });

  it("[6.acl.read-per-role] [6.acl.write-per-role] [3.role.name] [3.role.users] [3.role.roles] gives members of a role what its ACL gives, roles in roles included", async () => {
    const member = await signUp("member");
    const sessionToken = member.getSessionToken();
    const closed = new Parse.ACL();
    const editors = new Parse.Role("Editors", closed);
    editors.getUsers().add(member);
    await editors.save(null, { useMasterKey: true });
    const staff = new Parse.Role("Staff", closed);
    staff.getRoles().add(editors);
    await staff.save(null, { useMasterKey: true });
    const acl = new Parse.ACL();
    acl.setRoleReadAccess("Staff", true);
    acl.setRoleWriteAccess("Editors", true);
    const page = new Parse.Object("Page", { text: "t" });
    page.setACL(acl);
    await page.save();
    expect(await new Parse.Query("Page").count()).toBe(0);
    expect(await new Parse.Query("Page").count({ sessionToken })).toBe(1);
    await page.save({ text: "u" }, { sessionToken });
    editors.getUsers().remove(member);
    await editors.save(null, { useMasterKey: true });
    expect(await new Parse.Query("Page").count({ sessionToken })).toBe(0);
  });

  it("follows relations", async () => {
    const [a, b] = await Parse.Object.saveAll([
      new Parse.Object("Item", { n: 1 }),
      new Parse.Object("Item", { n: 2 }),
    ]);
    const basket = new Parse.Object("Basket");
    basket.relation("items").add([a, b]);
    await basket.save();
    basket.relation("items").remove(a);
    await basket.save();
    const left = await basket.relation("items").query().find();
    expect(left.map((item: typeof Parse.Object) => item.get("n"))).toEqual([2]);
  });

  it("hears of what enters and leaves a live query", async () => {
    const events: string[] = [];
    const subscription = await new Parse.Query("Lamp").equalTo("on", true).subscribe();
    for (const event of ["create", "enter", "update", "leave", "delete"])
      subscription.on(event, () => events.push(event));
    const lamp = new Parse.Object("Lamp", { on: false });
    await lamp.save();
    await lamp.save({ on: true });
    await lamp.save({ watts: 5 });
    await lamp.save({ on: false });
    await expect.poll(() => events, { timeout: 5_000 }).toEqual(["enter", "update", "leave"]);
    await subscription.unsubscribe();
  });

  it("[7.verify-password] checks a password without signing in", async () => {
    await signUp("vera");
    expect(await Parse.User.verifyPassword("vera", "a password")).toMatchObject({ mood: "fine" });
    await expect(Parse.User.verifyPassword("vera", "wrong")).rejects.toMatchObject({ code: 101 });
  });
});
