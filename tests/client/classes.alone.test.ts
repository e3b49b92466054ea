import {
  ACL,
  AnonymousUtils,
  CLP,
  Cloud,
  Config,
  GeoPoint,
  Hooks,
  Installation,
  ParseObject,
  Polygon,
  Query,
  Role,
  Schema,
  Session,
  start,
  User,
} from "@purse/client";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { casesOf } from "../support/allCases.ts";
import { type ForeignServer, startParseServer } from "../support/parseServer.ts";
import { hostPurse } from "../support/purse.ts";

interface BookFields {
  title: string;
  pages: number;
  tags: string[];
  author: ParseObject;
  published: Date;
  cover: { color: string; hard?: boolean };
}

class Book extends ParseObject<BookFields> {
  constructor(fields?: Partial<BookFields>) {
    super("Book", fields);
  }
}

const asMaster = { useMasterKey: true };
const SERVERS: [string, () => Promise<ForeignServer>][] = [
  ["Purse", () => hostPurse({ cloudCode: true })],
  ["parse-server 9 on PostgreSQL", startParseServer],
];

// With `npm test`, only Purse.
describe.each(casesOf(SERVERS, (_, i) => i === 0))("the client's classes with %s", (_, startServer) => {
  let server: ForeignServer;
  let count = 0;

  beforeAll(async () => {
    server = await startServer();
    await start({
      serverUrl: server.serverUrl,
      appId: server.appId,
      masterKey: server.masterKey,
      tracksCurrentUser: true,
    });
    ParseObject.registerSubclass("Book", Book);
  }, 120_000);
  afterEach(() => User.logOut());
  afterAll(() => server?.remove());

  const name = (prefix: string) => `${prefix}${++count}`;
  const signUp = (fields: Record<string, unknown> = {}) => User.signUp(name("user"), "a password", fields);
  const reload = async (book: Book): Promise<Book> => new Query(Book).get(book.id ?? "");

  describe("ParseObject", () => {
    it("saves a field of every type and reads it back", async () => {
      const author = new ParseObject("Author", { name: "Ada" });
      const book = new Book({
        title: "Notes",
        pages: 7,
        tags: ["a", "b"],
        author,
        published: new Date("1843-09-01T00:00:00.000Z"),
        cover: { color: "green" },
      });
      await book.save();
      const found = await new Query(Book).include("author").get(book.id ?? "");
      expect(found).toBeInstanceOf(Book);
      expect(found.get("title")).toBe("Notes");
      expect(found.get("tags")).toEqual(["a", "b"]);
      expect(found.get("published")).toEqual(new Date("1843-09-01T00:00:00.000Z"));
      expect(found.get("cover")).toEqual({ color: "green" });
      expect(found.get("author").get("name")).toBe("Ada");
      expect(found.createdAt).toEqual(book.createdAt);
    });

    it("sends atomic operations that the server applies to the current value", async () => {
      const book = await new Book({ title: "Counted", pages: 1, tags: ["a"] }).save();
      const other = await reload(book);
      book.increment("pages", 2);
      book.addAllUnique("tags", ["a", "b"]);
      await book.save();
      other.increment("pages");
      other.remove("tags", "a");
      await other.save();
      const found = await reload(book);
      expect([found.get("pages"), found.get("tags")]).toEqual([4, ["b"]]);
      found.unset("pages");
      await found.save();
      expect((await reload(book)).has("pages")).toBe(false);
    });

    it("changes nested fields by dotted path or in place", async () => {
      const book = await new Book({ title: "Bound", cover: { color: "green" } }).save();
      await book.save({ "cover.hard": true } as object);
      expect((await reload(book)).get("cover")).toEqual({ color: "green", hard: true });
      book.get("cover").color = "red";
      expect(book.dirtyKeys()).toContain("cover");
      await book.save();
      expect((await reload(book)).get("cover")).toEqual({ color: "red", hard: true });
    });

    it("saveAll(), fetchAllIfNeeded() and destroyAll() handle many objects", async () => {
      const books = Array.from({ length: 25 }, (_, pages) => new Book({ title: "Many", pages }));
      await ParseObject.saveAll(books);
      const bare = books.map((book) => Book.createWithoutData(book.id ?? ""));
      await ParseObject.fetchAllIfNeeded(bare);
      expect(bare.map((book) => book.get("pages"))).toEqual(books.map((book) => book.get("pages")));
      await ParseObject.destroyAll(books);
      expect(await new Query(Book).equalTo("title", "Many").count()).toBe(0);
      await expect(ParseObject.destroyAll(books.slice(0, 2))).rejects.toMatchObject({
        code: 600,
        errors: [{ code: 101 }, { code: 101 }],
      });
    });

    it("keeps unsaved changes after a rejected save and saves them later", async () => {
      const book = await new Book({ title: "Typed", pages: 1 }).save();
      const wrong: Record<string, unknown> = { title: "Typed anew", pages: "many" };
      await expect(book.save(wrong)).rejects.toMatchObject({ code: 111 });
      expect(book.get("title")).toBe("Typed anew");
      expect(book.dirtyKeys().sort()).toEqual(["pages", "title"]);
      await book.save({ pages: 2 });
      const found = await reload(book);
      expect([found.get("title"), found.get("pages")]).toEqual(["Typed anew", 2]);
    });

    it("fetch() and get() reject a deleted object with 101", {
      tags: ["8.backend.object-not-found"],
    }, async () => {
      const book = await new Book({ title: "Gone" }).save();
      expect(await book.exists()).toBe(true);
      await book.destroy();
      expect(await book.exists()).toBe(false);
      await expect(reload(book)).rejects.toMatchObject({ code: 101, message: "Object not found." });
      await expect(book.fetch()).rejects.toMatchObject({ code: 101 });
    });

    it("adds and removes objects of a relation and queries it", async () => {
      const [one, two] = await ParseObject.saveAll([new Book({ title: "One" }), new Book({ title: "Two" })]);
      const shelf = new ParseObject("Shelf");
      await shelf.save();
      shelf.relation<Book>("books").add([one, two].filter((book) => book !== undefined));
      await shelf.save();
      const stored = await new Query("Shelf").get(shelf.id ?? "");
      const titles = async () =>
        (await stored.relation<Book>("books").query().ascending("title").find()).map((book) =>
          book.get("title"),
        );
      expect(await titles()).toEqual(["One", "Two"]);
      if (one) stored.relation<Book>("books").remove(one);
      await stored.save();
      expect(await titles()).toEqual(["Two"]);
    });

    it("stores GeoPoint and Polygon fields", async () => {
      const bergen = new GeoPoint(60.39, 5.32);
      const area = new Polygon([
        [60, 5],
        [61, 5],
        [61, 6],
        [60, 6],
      ]);
      const town = await new ParseObject("Town", { at: bergen, area }).save();
      const found = await new Query("Town").get(town.id ?? "");
      expect(bergen.equals(found.get("at"))).toBe(true);
      expect(found.get("area")).toBeInstanceOf(Polygon);
      expect(await new Query("Town").polygonContains("area", bergen).count()).toBe(1);
    });
  });

  describe("Query", () => {
    const pagesOf = (books: Book[]) => books.map((book) => book.get("pages"));
    const kind = () => new Query(Book).equalTo("title", "Listed");

    beforeAll(async () => {
      const books = Array.from(
        { length: 12 },
        (_, pages) =>
          new Book({ title: "Listed", pages, tags: [`t${pages % 3}`, pages % 2 ? "odd" : "even"] }),
      );
      await ParseObject.saveAll(books);
    });

    it("compares, sorts, skips and limits", async () => {
      expect(pagesOf(await kind().greaterThan("pages", 9).ascending("pages").find())).toEqual([10, 11]);
      expect(pagesOf(await kind().descending("pages").skip(1).limit(2).find())).toEqual([10, 9]);
      expect(pagesOf(await kind().containedIn("pages", [3, 5, 99]).addAscending("pages").find())).toEqual([
        3, 5,
      ]);
      expect(pagesOf(await kind().containsAll("tags", ["t0", "odd"]).ascending("pages").find())).toEqual([
        3, 9,
      ]);
      expect(await kind().doesNotExist("author").count()).toBe(12);
      expect(
        await kind().startsWith("title", "List").endsWith("title", "ed").contains("title", "ste").count(),
      ).toBe(12);
    });

    it("findWithCount() counts beyond the limit", async () => {
      const { results, count } = await kind().limit(3).findWithCount();
      expect([results.length, count]).toEqual([3, 12]);
      expect(await kind().withCount().limit(1).find()).toMatchObject({ count: 12 });
    });

    it("combines queries with or() and and()", async () => {
      const low = kind().lessThan("pages", 2);
      const high = kind().greaterThan("pages", 10);
      expect(pagesOf(await Query.or(low, high).ascending("pages").find())).toEqual([0, 1, 11]);
      expect(await Query.and(low, kind().equalTo("pages", 1)).count()).toBe(1);
    });

    it("each(), map(), reduce(), filter() and findAll() visit all results in batches", {
      tags: ["9.iteration-batch.default"],
    }, async () => {
      const seen: number[] = [];
      await kind().each((book) => void seen.push(book.get("pages")), { batchSize: 5 });
      expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, pages) => pages));
      expect(await kind().map((book) => book.get("pages") * 2)).toContain(22);
      expect(await kind().reduce((sum, book) => sum + book.get("pages"), 0)).toBe(66);
      expect(pagesOf(await kind().filter((book) => book.get("pages") === 4))).toEqual([4]);
      expect(await kind().findAll({ batchSize: 5 })).toHaveLength(12);
    });

    it("selects and excludes fields", async () => {
      const selected = await kind().select("pages").first();
      expect([selected?.has("pages"), selected?.has("title")]).toEqual([true, false]);
      const excluded = await kind().exclude("pages").first();
      expect([excluded?.has("pages"), excluded?.has("title")]).toEqual([false, true]);
    });

    it("matches objects by subqueries on other classes", async () => {
      const author = await new ParseObject("Author", { name: name("Writer") }).save();
      await new Book({ title: "By them", author }).save();
      const authors = new Query("Author").equalTo("name", author.get("name"));
      expect(await new Query(Book).matchesQuery("author", authors).count()).toBe(1);
      expect(await new Query(Book).equalTo("author", author).count()).toBe(1);
      await new ParseObject("Fan", { of: author.get("name") }).save();
      expect(await new Query("Fan").matchesKeyInQuery("of", "name", authors).count()).toBe(1);
    });

    it("aggregates and lists distinct values with the master key", async () => {
      const groups = await kind().aggregate([{ $group: { _id: "$title", total: { $sum: "$pages" } } }]);
      expect(groups).toMatchObject([{ total: 66 }]);
      expect((await kind().distinct("tags")).sort()).toEqual(["even", "odd", "t0", "t1", "t2"]);
    });
  });

  describe("User", () => {
    it("signs up, logs out and logs in", async () => {
      const user = await signUp({ mood: "fine" });
      expect(User.current()).toBe(user);
      expect(user.authenticated()).toBe(true);
      expect(await user.isCurrentAsync()).toBe(true);
      const token = user.getSessionToken() ?? "";
      expect((await Session.current()).getSessionToken()).toBe(token);
      await User.logOut();
      expect(User.current()).toBeNull();
      await expect(User.become(token)).rejects.toMatchObject({ code: 209 });
      const back = await User.logIn(user.getUsername() ?? "", "a password");
      expect(back.get("mood")).toBe("fine");
      expect(back.get("password")).toBeUndefined();
    });

    it("loginOrSignup() creates the user on the first call", async () => {
      const username = name("newcomer");
      const made = await User.loginOrSignup(username, "a password");
      await User.logOut();
      expect((await User.loginOrSignup(username, "a password")).id).toBe(made.id);
    });

    it("saves the current user's fields and reads them back with me()", async () => {
      const user = await signUp();
      await user.save({ mood: "better" });
      await user.fetch();
      expect(user.get("mood")).toBe("better");
      expect((await User.me(user.getSessionToken() ?? "")).get("mood")).toBe("better");
      expect((await user.verifyPassword("a password")).id).toBe(user.id);
    });

    it("rejects wrong passwords with 101 and taken usernames with 202", async () => {
      const user = await signUp();
      const username = user.getUsername() ?? "";
      await User.logOut();
      await expect(User.logIn(username, "wrong")).rejects.toMatchObject({ code: 101 });
      const late = new User({ username, password: "another" });
      await expect(late.signUp()).rejects.toMatchObject({ code: 202 });
      expect([late.getUsername(), late.get("password")]).toEqual([username, "another"]);
      late.setUsername(name("other"));
      await late.signUp();
      expect(late.isCurrent()).toBe(true);
    });

    it("logs in anonymously and becomes a named user", async () => {
      const user = await AnonymousUtils.logIn();
      expect(AnonymousUtils.isLinked(user)).toBe(true);
      user.setUsername(name("somebody"));
      user.setPassword("a password");
      await user.save();
      await User.logOut();
      const back = await User.logIn(user.getUsername() ?? "", "a password");
      expect(back.id).toBe(user.id);
      expect(AnonymousUtils.isLinked(back)).toBe(false);
    });

    it("deletes an abandoned anonymous user when another user logs in", async () => {
      const known = await signUp();
      await User.logOut();
      const nobody = await AnonymousUtils.logIn();
      await User.logIn(known.getUsername() ?? "", "a password");
      await expect(new Query(User).get(nobody.id ?? "", asMaster)).rejects.toMatchObject({ code: 101 });
      expect(User.current()?.id).toBe(known.id);
    });

    it("loginAs() logs in as another user with the master key", async () => {
      const user = await signUp();
      await User.logOut();
      const acted = await User.loginAs(user.id ?? "");
      expect([acted.id, acted.authenticated()]).toEqual([user.id, true]);
    });
  });

  describe("permissions", () => {
    it("the ACL of an object grants access to users and roles", async () => {
      const member = await signUp();
      await User.logOut();
      const owner = await signUp();
      const role = new Role(name("Editors"), new ACL());
      role.getUsers().add(member);
      await role.save(null, asMaster);
      const acl = new ACL(owner);
      acl.setRoleReadAccess(role.getName(), true);
      const book = new Book({ title: "Private" });
      book.setACL(acl);
      await book.save();
      expect((await reload(book)).getACL()?.getRoleReadAccess(role)).toBe(true);
      await User.logOut();
      await expect(reload(book)).rejects.toMatchObject({ code: 101 });
      await User.logIn(member.getUsername() ?? "", "a password");
      expect((await reload(book)).get("title")).toBe("Private");
      await expect(book.save({ title: "Mine" })).rejects.toMatchObject({ code: 101 });
    });

    it("the class-level permissions of a schema restrict access to its objects", async () => {
      const className = name("Ledger");
      const permissions = new CLP();
      permissions.setGetRequiresAuthentication(true);
      permissions.setFindRequiresAuthentication(true);
      permissions.setPublicCreateAccess(true);
      permissions.setPublicAddFieldAccess(true);
      permissions.setPublicProtectedFields(["secret"]);
      await new Schema(className)
        .addString("line", { required: true })
        .addNumber("amount", { defaultValue: 3 })
        .addString("secret")
        .addDate("due")
        .addPointer("book", "Book")
        .addRelation("books", "Book")
        .setCLP(permissions)
        .save();
      const { fields, classLevelPermissions } = await new Schema(className).get();
      expect(fields).toMatchObject({
        line: { type: "String", required: true },
        amount: { type: "Number", defaultValue: 3 },
        book: { type: "Pointer", targetClass: "Book" },
        books: { type: "Relation", targetClass: "Book" },
      });
      expect(classLevelPermissions).toMatchObject({ find: { requiresAuthentication: true } });
      const line = await new ParseObject(className, { line: "one", secret: "hidden" }).save();
      const stored = await new Query(className).get(String(line.id), { useMasterKey: true });
      expect(stored.get("amount")).toBe(3);
      await expect(new Query(className).find()).rejects.toMatchObject({ code: 101 });
      await expect(new ParseObject(className, { amount: 1 }).save()).rejects.toMatchObject({ code: 142 });
      await signUp();
      expect((await new Query(className).first())?.has("secret")).toBe(false);
    });

    it("Schema changes, purges and deletes a class", async () => {
      const className = name("Scratch");
      await new Schema(className).addString("a").save();
      await new Schema(className).deleteField("a").addNumber("b").update();
      expect((await new Schema(className).get()).fields).not.toHaveProperty("a");
      await new ParseObject(className, { b: 1 }).save();
      await expect(new Schema(className).delete()).rejects.toMatchObject({ code: 255 });
      await new Schema(className).purge();
      await new Schema(className).delete();
      await expect(new Schema(className).get()).rejects.toMatchObject({ code: 103 });
      expect((await Schema.all()).map((schema) => schema.className)).toContain("Book");
    });
  });

  describe("other services", () => {
    it("Cloud.run() calls functions", async () => {
      expect(await Cloud.run("hello", { name: "Ada" })).toBe("Hello, Ada!");
      await expect(Cloud.run("not-there")).rejects.toMatchObject({ code: 141 });
    });

    it("Config.save() and Config.get() keep private parameters for the master key", async () => {
      await Config.save({ greeting: "<hi>", secret: 1, since: new Date(0) }, { secret: true });
      const config = await Config.get();
      expect([config.get("greeting"), config.get("secret")]).toEqual(["<hi>", undefined]);
      expect(config.get("since")).toEqual(new Date(0));
      expect(config.escape("greeting")).toBe("&lt;hi&gt;");
      expect((await Config.get(asMaster)).get("secret")).toBe(1);
      expect((await Config.current()).get("greeting")).toBe("<hi>");
    });

    it("Installation.currentInstallation() saves and returns the current device", async () => {
      const installation = await Installation.currentInstallation();
      await installation.save("channels", ["news"]);
      const known = await Installation.currentInstallation();
      expect([known.id, known.channels, known.deviceType]).toEqual([installation.id, ["news"], "web"]);
      await known.destroy(asMaster);
    });

    it("Hooks creates, updates and removes functions and triggers", async () => {
      const url = "https://example.com/hook";
      const functionName = name("hooked");
      await Hooks.createFunction(functionName, url);
      expect(await Hooks.getFunction(functionName)).toMatchObject({ functionName, url });
      await Hooks.updateFunction(functionName, `${url}/2`);
      expect(await Hooks.getFunctions()).toContainEqual({ functionName, url: `${url}/2` });
      await Hooks.removeFunction(functionName);
      await Hooks.createTrigger("Book", "beforeDelete", url);
      expect(await Hooks.getTrigger("Book", "beforeDelete")).toMatchObject({ className: "Book", url });
      await Hooks.removeTrigger("Book", "beforeDelete");
      await expect(Hooks.create({ functionName })).rejects.toMatchObject({ code: 143 });
    });
  });
});
