import { randomUUID } from "node:crypto";
import { until } from "../../support/until.ts";
import type { Operation, Scenario } from "./operation.ts";

/** Operations of parse and moralis; versions without a call report it as absent. */
export function dataScenario({ Parse, masterKey }: Scenario): Operation[] {
  const unique = randomUUID().replaceAll("-", "");
  const rows = `Row${unique}`;
  const notes = `Memo${unique}`;
  const name = `ada${unique}`;
  const password = "a long password";
  const useMasterKey = true;
  const query = (className: string) => new Parse.Query(className);
  const object = (className: string, fields: object) => {
    const made = new Parse.Object(className);
    made.set(fields);
    return made;
  };
  const numbers = async (build: (on: typeof Parse) => unknown) => {
    const built = query(rows);
    build(built);
    return (await built.ascending("n").find()).map((row: typeof Parse) => row.get("n")).join();
  };
  const code = async (work: Promise<unknown>) => {
    try {
      await work;
      return "no error";
    } catch (error) {
      return Object(error).code;
    }
  };
  const signUp = async (username: string) => {
    const made = new Parse.User();
    made.set({ username, password });
    return made.signUp(null, {});
  };
  // Shared between operations.
  let user: typeof Parse;
  let note: typeof Parse;

  return [
    [
      "sign up",
      async () => {
        user = await signUp(name);
        return [Boolean(user.getSessionToken()), true];
      },
    ],
    ["current user", async () => [Parse.User.current().id, user.id]],
    ["sign up with a name in use", async () => [await code(signUp(name)), 202]],
    [
      "log in",
      async () => {
        user = await Parse.User.logIn(name, password);
        return [user.get("username"), name];
      },
    ],
    ["log in with a wrong password", async () => [await code(Parse.User.logIn(name, "wrong")), 101]],
    ["save fields of the user", async () => [(await user.save({ mood: "fine" })).get("mood"), "fine"]],
    [
      "fetch the user and keep the session",
      async () => {
        const before = user.getSessionToken();
        await user.fetch();
        await user.save({ mood: "better" });
        return [user.getSessionToken(), before];
      },
    ],
    ["become", async () => [(await Parse.User.become(user.getSessionToken())).id, user.id]],
    [
      "create",
      async () => {
        note = await object(notes, { text: "a", n: 1 }).save();
        return [Boolean(note.id), true];
      },
    ],
    ["update", async () => [(await note.save({ text: "b" })).get("text"), "b"]],
    [
      "increment, and arrays",
      async () => {
        note.increment("n", 2);
        note.add("list", 1);
        await note.save();
        note.addUnique("list", 1);
        await note.save();
        note.addUnique("list", 2);
        await note.save();
        note.remove("list", 1);
        await note.save();
        const read = await query(notes).get(note.id);
        return [JSON.stringify([read.get("n"), read.get("list")]), "[3,[2]]"];
      },
    ],
    [
      "unset",
      async () => {
        note.unset("text");
        await note.save();
        return [(await query(notes).get(note.id)).has("text"), false];
      },
    ],
    [
      "dates, nested objects and null",
      async () => {
        const at = new Date("2022-04-18T12:00:00.000Z");
        const { id } = await object(notes, { at, deep: { list: [1, { a: null }] } }).save();
        const read = await query(notes).get(id);
        return [
          JSON.stringify([read.get("at").getTime(), read.get("deep")]),
          JSON.stringify([at.getTime(), { list: [1, { a: null }] }]),
        ];
      },
    ],
    [
      "fetch",
      async () => {
        const bare = new Parse.Object(notes);
        bare.id = note.id;
        return [(await bare.fetch()).get("n"), 3];
      },
    ],
    [
      "save many",
      async () => {
        const made = [0, 1, 2, 3, 4, 5].map((n) =>
          object(rows, { n, even: n % 2 === 0, text: `Row ${n}`, tags: [`t${n % 3}`], note }),
        );
        await Parse.Object.saveAll(made);
        return [await query(rows).count(), 6];
      },
    ],
    ["equal", async () => [await numbers((on) => on.equalTo("even", true)), "0,2,4"]],
    ["not equal", async () => [await numbers((on) => on.notEqualTo("even", true)), "1,3,5"]],
    ["range", async () => [await numbers((on) => on.greaterThan("n", 1).lessThanOrEqualTo("n", 3)), "2,3"]],
    ["contained in an array", async () => [await numbers((on) => on.containedIn("n", [1, 9])), "1"]],
    [
      "not contained in an array",
      async () => [await numbers((on) => on.notContainedIn("n", [0, 1, 2])), "3,4,5"],
    ],
    ["items of arrays", async () => [await numbers((on) => on.equalTo("tags", "t1")), "1,4"]],
    ["all items", async () => [await numbers((on) => on.containsAll("tags", ["t2"])), "2,5"]],
    ["regular expressions", async () => [await numbers((on) => on.matches("text", /row [12]/i)), "1,2"]],
    ["prefixes", async () => [await numbers((on) => on.startsWith("text", "Row 4")), "4"]],
    ["existence", async () => [await numbers((on) => on.doesNotExist("tags")), ""]],
    ["pagination", async () => [await numbers((on) => on.skip(1).limit(2)), "1,2"]],
    [
      "alternatives",
      async () => {
        const either = Parse.Query.or(query(rows).equalTo("n", 0), query(rows).equalTo("n", 5));
        return [(await either.ascending("n").find()).length, 2];
      },
    ],
    ["first", async () => [(await query(rows).descending("n").first()).get("n"), 5]],
    ["get a missing object", async () => [await code(query(rows).get("missing")), 101]],
    ["selected fields", async () => [(await query(rows).select("n").first()).has("text"), false]],
    ["included pointers", async () => [(await query(rows).include("note").first()).get("note").get("n"), 3]],
    [
      "subqueries",
      async () => [
        await numbers((on) => on.matchesQuery("note", query(notes).equalTo("n", 3)).limit(1)),
        "0",
      ],
    ],
    [
      "each",
      async () => {
        let seen = 0;
        await query(rows).each(() => {
          seen += 1;
        });
        return [seen, 6];
      },
    ],
    [
      "GeoPoints",
      async () => {
        const place = new Parse.GeoPoint(59.9, 10.7);
        await object(`Place${unique}`, { place }).save();
        const near = query(`Place${unique}`).withinKilometers("place", new Parse.GeoPoint(60, 10.7), 50);
        return [(await near.find()).length, 1];
      },
    ],
    [
      "relations",
      async () => {
        const made = await query(rows).limit(2).ascending("n").find();
        note.relation("rows").add(made);
        await note.save();
        // Fetched again, because in older versions the object that added a member sends no removal.
        const read = await query(notes).get(note.id);
        read.relation("rows").remove(made[0]);
        await read.save();
        const related = await note.relation("rows").query().find();
        return [related.map((row: typeof Parse) => row.get("n")).join(), "1"];
      },
    ],
    [
      "files from bytes",
      async () => {
        const file = await new Parse.File("a.txt", [72, 105]).save();
        return [await (await fetch(file.url())).text(), "Hi"];
      },
    ],
    [
      "files from base64 in a field",
      async () => {
        const file = new Parse.File("b.txt", { base64: "SGk=" });
        await file.save();
        const { id } = await object(notes, { file }).save();
        const read = await query(notes).get(id);
        return [await (await fetch(read.get("file").url())).text(), "Hi"];
      },
    ],
    [
      "cloud functions",
      async () => [(await Parse.Cloud.run("hello", { name: "Ada" })).includes("Ada"), true],
    ],
    ["missing cloud functions", async () => [await code(Parse.Cloud.run("not-there", {})), 141]],
    [
      "live queries",
      async () => {
        const live = query(rows).greaterThan("n", 100);
        const returned = live.subscribe();
        const subscription = await returned;
        const seen: string[] = [];
        for (const event of ["create", "update", "leave", "delete"])
          subscription.on(event, (of: typeof Parse) => seen.push(`${event} ${of.get("n")}`));
        // Version 1 responds immediately.
        if (typeof returned.then !== "function") await new Promise((open) => subscription.on("open", open));
        const row = await object(rows, { n: 101 }).save();
        await row.save({ n: 102 });
        await row.save({ n: 1 });
        await until(() => seen.length === 3);
        subscription.unsubscribe();
        await row.destroy();
        return [seen.join(), "create 101,update 102,leave 1"];
      },
    ],
    [
      "access control",
      async () => {
        const acl = new Parse.ACL(user);
        const secret = object(notes, { text: "secret" });
        secret.setACL(acl);
        await secret.save();
        await Parse.User.logOut();
        const hidden = await code(query(notes).get(secret.id));
        user = await Parse.User.logIn(name, password);
        return [[hidden, (await query(notes).get(secret.id)).get("text")].join(), "101,secret"];
      },
    ],
    [
      "roles",
      async () => {
        const acl = new Parse.ACL();
        acl.setPublicReadAccess(true);
        const role = new Parse.Role(`editors${unique}`, acl);
        role.getUsers().add(user);
        await role.save(null, { useMasterKey });
        const forEditors = new Parse.ACL();
        forEditors.setRoleReadAccess(`editors${unique}`, true);
        const draft = object(notes, { text: "draft" });
        draft.setACL(forEditors);
        await draft.save(null, { useMasterKey });
        return [(await query(notes).get(draft.id)).get("text"), "draft"];
      },
    ],
    [
      "sessions",
      async () => {
        const session = await Parse.Session.current();
        return [session.get("user").id, user.id];
      },
    ],
    [
      "installations",
      async () => {
        const installation = object("_Installation", {
          deviceType: "web",
          installationId: `i-${unique}`,
          channels: ["news"],
        });
        await installation.save(null, { useMasterKey });
        const found = await query("_Installation").equalTo("channels", "news").count({ useMasterKey });
        return [found > 0, true];
      },
    ],
    [
      "config",
      async () => {
        if (!Parse.Config.save) return [typeof (await Parse.Config.get()).get, "function"];
        await Parse.Config.save({ greeting: unique });
        return [(await Parse.Config.get()).get("greeting"), unique];
      },
    ],
    [
      "anonymous users",
      Parse.AnonymousUtils?.logIn &&
        (async () => {
          const guest = await Parse.AnonymousUtils.logIn();
          const isLinked = Parse.AnonymousUtils.isLinked(guest);
          await Parse.User.logOut();
          user = await Parse.User.logIn(name, password);
          return [isLinked, true];
        }),
    ],
    [
      "aggregation",
      Parse.Query.prototype.aggregate &&
        (async () => {
          const grouped = await query(rows).aggregate([
            { group: { objectId: "$even", sum: { $sum: "$n" } } },
          ]);
          return [
            grouped
              .map(({ sum }: { sum: number }) => sum)
              .sort()
              .join(),
            "6,9",
          ];
        }),
    ],
    [
      "distinct values",
      Parse.Query.prototype.distinct && (async () => [(await query(rows).distinct("even")).length, 2]),
    ],
    [
      "schemas",
      Parse.Schema &&
        (async () => {
          const schema = new Parse.Schema(`Made${unique}`);
          schema.addString("title");
          await schema.save();
          const { fields } = await new Parse.Schema(`Made${unique}`).get();
          return [fields.title.type, "String"];
        }),
    ],
    [
      "webhooks",
      Parse.Hooks &&
        Boolean(masterKey) &&
        (async () => [Array.isArray(await Parse.Hooks.getFunctions()), true]),
    ],
    [
      "destroy",
      async () => {
        await note.destroy();
        return [await code(query(notes).get(note.id)), 101];
      },
    ],
    [
      "destroy many",
      async () => {
        await Parse.Object.destroyAll(await query(rows).find());
        return [await query(rows).count(), 0];
      },
    ],
    [
      "log out",
      async () => {
        await Parse.User.logOut();
        return [Parse.User.current(), null];
      },
    ],
  ];
}
