import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { freshRequire } from "../support/freshRequire.ts";
import { hostPurse, type Purse } from "../support/purse.ts";
import { type PushServices, startPushServices } from "../support/pushServices.ts";

describe.each(DATABASES)("parse@8.6.0, unmodified, on %s", (database) => {
  // The unmodified current client from npm.
  const Parse = freshRequire("parse/node", import.meta.url);
  let purse: Purse;
  let push: PushServices;

  beforeAll(async () => {
    push = await startPushServices();
    purse = await hostPurse({ cloudCode: true, env: { ...(await databaseEnv(database)), ...push.env } });
    Parse.initialize(purse.appId, undefined, purse.masterKey);
    Parse.serverURL = purse.serverUrl;
  });
  afterAll(async () => {
    await Parse.LiveQuery.close();
    await purse?.remove();
    await push?.stop();
  });

  async function signUp(username: string) {
    return Parse.User.signUp(username, "a password", { mood: "fine" });
  }

  it("signs up and logs in, and receives the error codes of Parse Server", {
    tags: ["0.backend.user-accounts", "3.user.username", "3.user.extra-fields", "8.code.101"],
  }, async () => {
    const user = await signUp("ann");
    expect(user.getSessionToken()).toMatch(/^r:/);
    const again = await Parse.User.logIn("ann", "a password");
    expect(again.get("mood")).toBe("fine");
    await expect(signUp("ann")).rejects.toMatchObject({ code: 202 });
    await expect(Parse.User.logIn("ann", "wrong")).rejects.toMatchObject({ code: 101 });
    await expect(Parse.User.me("r:none")).rejects.toMatchObject({ code: 209 });
  });

  it("returns the session", {
    tags: ["3.session.user", "3.session.created-with", "3.session.expires-at", "3.session.restricted"],
  }, async () => {
    const user = await signUp("sam");
    const session = await new Parse.Query(Parse.Session).first({ sessionToken: user.getSessionToken() });
    expect(session.get("user").id).toBe(user.id);
    expect(session.get("restricted")).toBe(false);
    expect(session.get("expiresAt").getTime()).toBeGreaterThan(Date.now());
    expect(session.get("createdWith")).toEqual({ action: "signup", authProvider: "password" });
  });

  it("queries by many constraints, sorts, paginates and counts", async () => {
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
    const low = new Parse.Query("Row").lessThan("n", 4);
    const even = new Parse.Query("Row").equalTo("even", true);
    expect(await ns(() => Parse.Query.and(low, even))).toEqual([0, 2]);
    expect(await ns(() => Parse.Query.nor(low, even))).toEqual([5, 7, 9]);
    const { results, count } = await new Parse.Query("Row").withCount().limit(1).find();
    expect([results.length, count]).toEqual([1, 10]);
    const [selected] = await new Parse.Query("Row").select("n").limit(1).find();
    expect(selected.has("name")).toBe(false);
    const [excluded] = await new Parse.Query("Row").exclude("name").limit(1).find();
    expect([excluded.has("name"), excluded.has("n")]).toEqual([false, true]);
    const [last] = await new Parse.Query("Row").descending("n").limit(1).find();
    expect(last.get("n")).toBe(9);
  });

  it("includes pointers over several levels", async () => {
    const country = new Parse.Object("Country", { name: "Norway" });
    const town = new Parse.Object("Town", { name: "Bergen", country });
    await town.save();
    await new Parse.Object("House", { number: 7, town }).save();
    const bare = await new Parse.Query("House").first();
    expect(bare.get("town").isDataAvailable()).toBe(false);
    const house = await new Parse.Query("House").include("town.country").first();
    expect(house.get("town").get("name")).toBe("Bergen");
    expect(house.get("town").get("country").get("name")).toBe("Norway");
  });

  it("runs cloud functions, and rejects unknown functions with 141", async () => {
    expect(await Parse.Cloud.run("hello", { name: "Ada" })).toContain("Ada");
    await expect(Parse.Cloud.run("not-there")).rejects.toMatchObject({ code: 141 });
  });

  it("ends the session at logout", async () => {
    const sessionToken = (await signUp("leaver")).getSessionToken();
    expect((await Parse.User.me(sessionToken)).get("username")).toBe("leaver");
    await Parse._request("POST", "logout", {}, { sessionToken });
    await expect(Parse.User.me(sessionToken)).rejects.toMatchObject({ code: 209 });
  });

  it("keeps the session token of the current user after a fetch", { tags: ["7.fetch"] }, async () => {
    // A separate client with a current user.
    const Own = freshRequire("parse/node", import.meta.url);
    Own.initialize(purse.appId);
    Own.serverURL = purse.serverUrl;
    Own.User.enableUnsafeCurrentUser();
    const friend = await new Own.Object("Friend", { name: "Flo" }).save();
    const user = await Own.User.signUp("again", "a password", { friend });
    const token = user.getSessionToken();
    const other = await signUp("somebody else");
    await other.save({ ACL: new Parse.ACL({ "*": { read: true } }) }, { useMasterKey: true });
    const reads: [string, () => Promise<unknown>][] = [
      ["fetch", () => Own.User.current().fetch()],
      ["fetchWithInclude", () => Own.User.current().fetchWithInclude("friend")],
      ["fetchAll", () => Own.Object.fetchAll([Own.User.current()])],
      ["fetchAllWithInclude", () => Own.Object.fetchAllWithInclude([Own.User.current()], "friend")],
      ["get", () => new Own.Query(Own.User).get(user.id)],
      ["find", () => new Own.Query(Own.User).equalTo("objectId", user.id).find()],
      ["first", () => new Own.Query(Own.User).equalTo("objectId", user.id).first()],
      ["fetch of another user", () => Own.User.createWithoutData(other.id).fetch()],
    ];
    for (const [description, read] of reads) {
      await read();
      expect([description, Own.User.current().getSessionToken()]).toEqual([description, token]);
      expect(Own.User.current().authenticated()).toBe(true);
      await Own.User.current().save({ way: description });
    }
    const seen = await Own.User.createWithoutData(other.id).fetch();
    expect(seen.getSessionToken()).toBeUndefined();
    expect((await Own.Session.current()).getSessionToken()).toBe(token);
  });

  it("receives the error codes of Parse Server for invalid keys, wrong types and missing objects", async () => {
    await new Parse.Object("Typed", { n: 1 }).save();
    await expect(new Parse.Object("Typed", { n: "one" }).save()).rejects.toMatchObject({ code: 111 });
    await expect(Parse._request("POST", "classes/Typed", { "bad key": 1 })).rejects.toMatchObject({
      code: 105,
    });
    const where = { n: { $unheardOf: 1 } };
    await expect(Parse._request("GET", "classes/Typed", { where })).rejects.toMatchObject({ code: 102 });
    await expect(new Parse.Query("Typed").get("nothing")).rejects.toMatchObject({ code: 101 });
    await expect(Parse.User.signUp("", "a password")).rejects.toMatchObject({ code: -1 });
    await expect(Parse._request("POST", "users", { password: "p" })).rejects.toMatchObject({ code: 200 });
    await expect(Parse._request("POST", "users", { username: "u" })).rejects.toMatchObject({ code: 201 });
  });

  it("enforces ACLs", async () => {
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

  it("grants the ACL of a role to its members and to members of its child roles", {
    tags: ["6.acl.read-per-role", "6.acl.write-per-role", "3.role.name", "3.role.users", "3.role.roles"],
  }, async () => {
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

  it("adds to, removes from and queries relations", async () => {
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

  it("receives live query events for objects that enter and leave", async () => {
    const events: string[] = [];
    const subscription = await new Parse.Query("Lamp").equalTo("on", true).subscribe();
    for (const event of ["create", "enter", "update", "leave", "delete"])
      subscription.on(event, () => events.push(event));
    const lamp = new Parse.Object("Lamp", { on: false });
    await lamp.save();
    await lamp.save({ on: true });
    await lamp.save({ watts: 5 });
    await lamp.save({ on: false });
    await expect.poll(() => events).toEqual(["enter", "update", "leave"]);
    await subscription.unsubscribe();
  });

  it("sends a push and reads its status", { tags: ["7.push", "6.master-key.push"] }, async () => {
    const device = new Parse.Object("_Installation", {
      installationId: "interop",
      deviceType: "android",
      deviceToken: "interop",
      channels: ["news"],
    });
    await device.save(null, { useMasterKey: true });
    const id = await Parse.Push.send(
      { channels: ["news"], data: { alert: "Hello" } },
      { useMasterKey: true },
    );
    await expect
      .poll(async () => (await Parse.Push.getPushStatus(id, { useMasterKey: true })).get("status"))
      .toBe("succeeded");
    const status = await Parse.Push.getPushStatus(id, { useMasterKey: true });
    expect(status.get("numSent")).toBe(1);
    expect(push.fcm.received).toMatchObject([{ token: "interop" }]);
    await expect(
      Parse.Push.send({ channels: [], where: {}, data: {} }, { useMasterKey: true }),
    ).rejects.toMatchObject({ code: 115 });
  });

  it("verifies a password without a login", { tags: ["7.verify-password"] }, async () => {
    await signUp("vera");
    expect(await Parse.User.verifyPassword("vera", "a password")).toMatchObject({ mood: "fine" });
    await expect(Parse.User.verifyPassword("vera", "wrong")).rejects.toMatchObject({ code: 101 });
  });

  describe("queries of every kind", () => {
    type Row = { get(name: string): unknown };
    const names = (rows: Row[]) => rows.map((row) => row.get("name")).sort();

    it("match other queries", { tags: ["7.query.where"] }, async () => {
      const Town = Parse.Object.extend("ITown");
      const rome = await new Town({ name: "Rome", country: "Italy" }).save();
      const paris = await new Town({ name: "Paris", country: "France" }).save();
      await new Parse.Object("IPerson", { name: "Ann", town: rome, home: "Rome" }).save();
      await new Parse.Object("IPerson", { name: "Bob", town: paris, home: "Nowhere" }).save();
      const italian = new Parse.Query("ITown").equalTo("country", "Italy");
      const persons = () => new Parse.Query("IPerson");
      expect(names(await persons().matchesQuery("town", italian).find())).toEqual(["Ann"]);
      expect(names(await persons().doesNotMatchQuery("town", italian).find())).toEqual(["Bob"]);
      const towns = new Parse.Query("ITown");
      expect(names(await persons().matchesKeyInQuery("home", "name", towns).find())).toEqual(["Ann"]);
      expect(names(await persons().doesNotMatchKeyInQuery("home", "name", towns).find())).toEqual(["Bob"]);
      const either = Parse.Query.or(persons().equalTo("name", "Ann"), persons().equalTo("home", "Nowhere"));
      expect(names(await either.find())).toEqual(["Ann", "Bob"]);
      const included = await persons().include("town").equalTo("name", "Ann").first();
      expect(included.get("town").get("country")).toBe("Italy");
    });

    it("find GeoPoints in circles, boxes and polygons", async () => {
      const at = (latitude: number, longitude: number) => new Parse.GeoPoint(latitude, longitude);
      await new Parse.Object("ISpot", { name: "Berlin", at: at(52.5, 13.4) }).save();
      await new Parse.Object("ISpot", { name: "Sydney", at: at(-33.9, 151.2) }).save();
      const spots = () => new Parse.Query("ISpot");
      const [nearest] = await spots().near("at", at(-30, 150)).limit(1).find();
      expect(nearest.get("name")).toBe("Sydney");
      expect(names(await spots().withinKilometers("at", at(52, 13), 200).find())).toEqual(["Berlin"]);
      expect(names(await spots().withinMiles("at", at(52, 13), 200, false).find())).toEqual(["Berlin"]);
      expect(names(await spots().withinGeoBox("at", at(50, 10), at(54, 15)).find())).toEqual(["Berlin"]);
      const triangle = [at(50, 10), at(54, 10), at(52, 16)];
      expect(names(await spots().withinPolygon("at", triangle).find())).toEqual(["Berlin"]);
      const area = new Parse.Polygon([
        [0, 0],
        [0, 2],
        [2, 2],
        [2, 0],
      ]);
      await new Parse.Object("IArea", { name: "square", area }).save();
      expect(names(await new Parse.Query("IArea").polygonContains("area", at(1, 1)).find())).toEqual([
        "square",
      ]);
    });

    it("search texts and arrays", async () => {
      await new Parse.Object("IText", { name: "Coffee with cream", tags: ["hot", "cold"] }).save();
      await new Parse.Object("IText", { name: "tea", tags: ["hot"] }).save();
      const texts = () => new Parse.Query("IText");
      await new Parse.Schema("IText").addIndex("name_text", { name: "text" }).update();
      const found = await texts().fullText("name", "coffee").sortByTextScore().find();
      expect(found[0].get("score")).toBeGreaterThan(0);
      expect(names(await texts().containsAll("tags", ["hot", "cold"]).find())).toEqual(["Coffee with cream"]);
      expect(names(await texts().containsAllStartingWith("tags", ["co", "ho"]).find())).toEqual([
        "Coffee with cream",
      ]);
      expect(names(await texts().containedBy("tags", ["hot", "warm"]).find())).toEqual(["tea"]);
      expect(names(await texts().matches("name", "^COFF", "i").find())).toEqual(["Coffee with cream"]);
    });

    it("count, aggregate and list distinct values with the master key", {
      tags: ["6.master-key.aggregate", "6.master-key.distinct"],
    }, async () => {
      for (const [kind, n] of [
        ["a", 1],
        ["a", 2],
        ["b", 5],
      ]) {
        await new Parse.Object("ICount", { kind, n }).save();
      }
      const query = new Parse.Query("ICount");
      const pipeline = [{ $group: { _id: "$kind", total: { $sum: "$n" } } }, { $sort: { total: 1 } }];
      expect(await query.aggregate(pipeline)).toEqual([
        { objectId: "a", total: 3 },
        { objectId: "b", total: 5 },
      ]);
      expect((await new Parse.Query("ICount").distinct("kind")).sort()).toEqual(["a", "b"]);
    });
  });

  it("creates, changes, purges and deletes classes", { tags: ["6.master-key.schema"] }, async () => {
    const schema = new Parse.Schema("IMade");
    schema
      .addString("name", { required: true, defaultValue: "none" })
      .addNumber("n")
      .addIndex("byN", { n: 1 });
    schema.setCLP({ find: { "*": true }, get: { "*": true }, create: { "*": true } });
    const made = await schema.save();
    expect(made.fields.name).toEqual({ type: "String", required: true, defaultValue: "none" });
    await new Parse.Object("IMade", { n: 1 }).save();
    const [row] = await new Parse.Query("IMade").find();
    expect(row.get("name")).toBe("none");
    await expect(row.destroy()).rejects.toMatchObject({ code: 119 });
    const changed = new Parse.Schema("IMade");
    changed.deleteField("n").deleteIndex("byN");
    expect((await changed.update()).fields).not.toHaveProperty("n");
    await expect(new Parse.Schema("IMade").delete()).rejects.toMatchObject({ code: 255 });
    await new Parse.Schema("IMade").purge();
    await new Parse.Schema("IMade").delete();
    await expect(new Parse.Schema("IMade").get()).rejects.toMatchObject({ code: 103 });
  });

  it("logs in anonymously, becomes a named user and joins roles", async () => {
    const anonymous = await Parse.AnonymousUtils.logIn();
    expect(Parse.AnonymousUtils.isLinked(anonymous)).toBe(true);
    const names = { username: "somebody", password: "a password" };
    await anonymous.save(names, { sessionToken: anonymous.getSessionToken() });
    const user = await Parse.User.logIn("somebody", "a password");
    expect(user.id).toBe(anonymous.id);
    const sessionToken = user.getSessionToken();
    const role = new Parse.Role("members", new Parse.ACL());
    role.getUsers().add(anonymous);
    await role.save(null, { useMasterKey: true });
    const secret = new Parse.Object("ISecret", { n: 1 });
    const acl = new Parse.ACL();
    acl.setRoleReadAccess("members", true);
    secret.setACL(acl);
    await secret.save(null, { useMasterKey: true });
    const found = await new Parse.Query("ISecret").find({ sessionToken });
    expect(found).toHaveLength(1);
    expect(await new Parse.Query("ISecret").find()).toHaveLength(0);
  });
});
