import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { freshRequire } from "../support/freshRequire.ts";
import { type Purse, startPurse } from "../support/purse.ts";

const CODE = resolve(import.meta.dirname, "../fixtures/cloud/main.ts");
const CLIENTS = [
  ["parse@8.6.0", "parse/node"],
  ["moralis@1.7.0", "moralis/node"],
] as const;

/* Functions, jobs, settings, hooks and events by the clients as npm has them. */
describe.each(CLIENTS.flatMap((client) => DATABASES.map((database) => [...client, database] as const)))(
  "%s (%s), unmodified, on %s",
  (_, module, database) => {
    const Parse = freshRequire(module, import.meta.url);
    let purse: Purse;

    beforeAll(async () => {
      purse = await startPurse({ env: { ...(await databaseEnv(database)), PURSE_CLOUD: CODE } });
      if (module === "moralis/node") {
        await Parse.start({ serverUrl: purse.serverUrl, appId: purse.appId, masterKey: purse.masterKey });
      } else {
        Parse.initialize(purse.appId, undefined, purse.masterKey);
        Parse.serverURL = purse.serverUrl;
      }
    });
    afterAll(() => purse?.remove());

    it("[7.function] [7.function.params] [8.code.142] runs functions and is told why not", async () => {
      expect(await Parse.Cloud.run("fields", { name: "a" })).toEqual({ name: "a", size: 3 });
      await expect(Parse.Cloud.run("fields", {})).rejects.toMatchObject({
        code: 142,
        message: "Validation failed. Please specify data for name.",
      });
      await expect(Parse.Cloud.run("own", {})).rejects.toMatchObject({ code: 142, message: "say the word" });
    });

    it("hands a context on to triggers", async () => {
      const story = new Parse.Object("Story");
      await story.save({ text: "once upon" }, { context: { mark: "m" } });
      const trace = await new Parse.Query("Trace").equalTo("of", story.id).first({ useMasterKey: true });
      expect([trace.get("words"), trace.get("mark")]).toEqual([2, "m"]);
    });

    it("starts jobs and follows them", async () => {
      const id = await Parse.Cloud.startJob("count", { n: 3 });
      await expect
        .poll(async () => {
          const status = await Parse.Cloud.getJobStatus(id);
          return [status.get("status"), status.get("message"), status.get("finishedAt") instanceof Date];
        })
        .toEqual(["succeeded", "counted 3", true]);
      expect((await Parse.Cloud.getJobsData()).jobs).toContain("count");
    });

    it("[7.config.get] [7.config.put-params] [7.config.put-master-key-only] keeps settings", async () => {
      const saved = await Parse.Config.save({ greeting: "hi", since: new Date(0) }, { since: true });
      expect([saved.get("greeting"), saved.get("since")]).toEqual(["hi", new Date(0)]);
      const seen = await Parse.Config.get();
      expect([seen.get("greeting"), seen.get("since")]).toEqual(["hi", undefined]);
      expect((await Parse.Config.get({ useMasterKey: true })).get("since")).toEqual(new Date(0));
    });

    it("declares hooks", async () => {
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

    it("tells of events", async () => {
      await Parse.Analytics.track("Bought", { item: "hat" });
      const metrics = await (await fetch(`${purse.url}/metrics`)).text();
      expect(metrics).toContain('purse_app_events_total{event="Bought"} 1');
    });
  },
);
