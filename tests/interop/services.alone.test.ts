import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { casesOf } from "../support/allCases.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { freshRequire } from "../support/freshRequire.ts";
import { hostPurse, type Purse } from "../support/purse.ts";

const CODE = resolve(import.meta.dirname, "../fixtures/cloud/main.ts");
const CLIENTS = [
  ["moralis@1.7.0", "moralis/node"],
  ["parse@8.6.0", "parse/node"],
] as const;
/** With `npm test`, the first of them, which can do more. */
const TESTED = casesOf(CLIENTS, (_, i) => i === 0);

/* Functions, jobs, config, hooks, events, files and live queries with the unmodified clients from npm. */
describe.each(TESTED.flatMap((client) => DATABASES.map((database) => [...client, database] as const)))(
  "%s (%s), unmodified, on %s",
  (_, module, database) => {
    const Parse = freshRequire(module, import.meta.url);
    let purse: Purse;

    beforeAll(async () => {
      purse = await hostPurse({ env: { ...(await databaseEnv(database)), PURSE_CLOUD: CODE } });
      if (module === "moralis/node") {
        await Parse.start({ serverUrl: purse.serverUrl, appId: purse.appId, masterKey: purse.masterKey });
      } else {
        Parse.initialize(purse.appId, undefined, purse.masterKey);
        Parse.serverURL = purse.serverUrl;
      }
    });
    afterAll(() => purse?.remove());

    it("runs functions and receives their validation errors", {
      tags: ["7.function", "7.function.params", "8.code.142"],
    }, async () => {
      expect(await Parse.Cloud.run("fields", { name: "a" })).toEqual({ name: "a", size: 3 });
      await expect(Parse.Cloud.run("fields", {})).rejects.toMatchObject({
        code: 142,
        message: "Validation failed. Please specify data for name.",
      });
      await expect(Parse.Cloud.run("own", {})).rejects.toMatchObject({ code: 142, message: "say the word" });
    });

    it("passes a context to triggers", async () => {
      const story = new Parse.Object("Story");
      await story.save({ text: "once upon" }, { context: { mark: "m" } });
      const trace = await new Parse.Query("Trace").equalTo("of", story.id).first({ useMasterKey: true });
      expect([trace.get("words"), trace.get("mark")]).toEqual([2, "m"]);
    });

    it("starts jobs and reads their status", async () => {
      const id = await Parse.Cloud.startJob("count", { n: 3 });
      await expect
        .poll(async () => {
          const status = await Parse.Cloud.getJobStatus(id);
          return [status.get("status"), status.get("message"), status.get("finishedAt") instanceof Date];
        })
        .toEqual(["succeeded", "counted 3", true]);
      expect((await Parse.Cloud.getJobsData()).jobs).toContain("count");
    });

    it("saves and reads config parameters", {
      tags: ["7.config.get", "7.config.put-params", "7.config.put-master-key-only"],
    }, async () => {
      const saved = await Parse.Config.save({ greeting: "hi", since: new Date(0) }, { since: true });
      expect([saved.get("greeting"), saved.get("since")]).toEqual(["hi", new Date(0)]);
      const seen = await Parse.Config.get();
      expect([seen.get("greeting"), seen.get("since")]).toEqual(["hi", undefined]);
      expect((await Parse.Config.get({ useMasterKey: true })).get("since")).toEqual(new Date(0));
    });

    it("creates, updates and removes hooks", async () => {
      const { Hooks } = Parse;
      const url = "https://hooks.example.org/far";
      expect(await Hooks.createFunction("far", url)).toMatchObject({ functionName: "far", url });
      expect(await Hooks.getFunction("far")).toMatchObject({ functionName: "far", url });
      expect(await Hooks.updateFunction("far", `${url}/2`)).toMatchObject({ url: `${url}/2` });
      expect(await Hooks.getFunctions()).toHaveLength(1);
      await Hooks.removeFunction("far");
      await expect(Hooks.getFunction("far")).rejects.toMatchObject({ code: 143 });
      expect(await Hooks.createTrigger("Thing", "beforeSave", url)).toMatchObject({ className: "Thing" });
      expect(await Hooks.getTriggers()).toHaveLength(1);
      await Hooks.removeTrigger("Thing", "beforeSave");
      expect(await Hooks.getTriggers()).toEqual([]);
    });

    it("stores files in objects and in IPFS", async () => {
      const words = "It was a dark and stormy night.";
      const base64 = Buffer.from(words).toString("base64");
      const file = new Parse.File("story.txt", { base64 }, "text/plain");
      await file.save({ useMasterKey: true });
      expect(file.name()).toMatch(/^[0-9a-f]{32}_story\.txt$/);
      const story = new Parse.Object("Story");
      await story.save({ text: "one two", file });
      const found = await new Parse.Query("Story").get(story.id);
      const url = found.get("file").url();
      expect(await (await fetch(url)).text()).toBe(words);
      expect(Buffer.from(await found.get("file").getData(), "base64").toString()).toBe(words);
      await found.get("file").destroy({ useMasterKey: true });
      expect((await fetch(url)).status).toBe(404);
      if (module !== "moralis/node") return;
      const shared = new Parse.File("hello.txt", { base64: Buffer.from("hello world\n").toString("base64") });
      await shared.saveIPFS({ useMasterKey: true });
      expect(shared.hash()).toBe("QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o");
      expect(await (await fetch(shared.ipfs())).text()).toBe("hello world\n");
    });

    it("receives live query events with the original and the deleted object", async () => {
      const query = new Parse.Query("Thing").equalTo("mark", "live");
      const subscription = await query.subscribe();
      const heard: string[] = [];
      for (const event of ["create", "update", "leave", "delete"]) {
        subscription.on(event, (object: { get(key: string): unknown }) => {
          heard.push(`${event} ${object.get("n")}`);
        });
      }
      if (module !== "moralis/node") await subscription.subscribePromise;
      const thing = new Parse.Object("Thing");
      await thing.save({ mark: "live", n: 1 });
      await thing.save({ n: 2 });
      await thing.save({ mark: "other", n: 3 });
      await expect.poll(() => heard, { timeout: 10_000 }).toEqual(["create 1", "update 2", "leave 3"]);
      await subscription.unsubscribe();
    });

    it("tracks analytics events", async () => {
      await Parse.Analytics.track("Bought", { item: "hat" });
      const metrics = await (await fetch(`${purse.url}/metrics`)).text();
      expect(metrics).toContain('purse_app_events_total{event="Bought"} 1');
    });
  },
);
