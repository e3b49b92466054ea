import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createContext, runInContext } from "node:vm";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

const CLIENT = resolve(import.meta.dirname, "../../packages/client/src/index.ts");

/** Bundles the code of an application into one script. */
async function bundle(code: string): Promise<string> {
  const entry = join(folder, "application.js");
  writeFileSync(entry, code.replace("@purse/client", CLIENT));
  const result = await build({
    configFile: false,
    logLevel: "silent",
    root: folder,
    build: {
      write: false,
      minify: false,
      lib: { entry, formats: ["es"], fileName: "application" },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const [output] = Array.isArray(result) ? result : [result];
  if (!output || !("output" in output)) throw new Error("The bundler was told to watch");
  return output.output[0].code;
}

let purse: Purse;
const folder = mkdtempSync(join(tmpdir(), "purse-bundle-"));
beforeAll(async () => {
  purse = await hostPurse();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await purse?.remove();
});

describe("the client in a service worker without DOM APIs", () => {
  it("signs in, saves, queries, subscribes and pins objects", async () => {
    const code = await bundle(`
      import { LiveQuery, ParseObject, Query, User, enableLocalDatastore, start } from "@purse/client";
      globalThis.run = async (serverUrl, appId) => {
        await start({ serverUrl, appId });
        enableLocalDatastore();
        await User.signUp("worker" + Date.now(), "correct horse");
        const subscription = await new Query("Job").exists("text").subscribe();
        const told = new Promise((resolve) => subscription.on("create", (job) => resolve(job.get("text"))));
        const job = await new ParseObject("Job", { text: "done" }).save();
        await job.pin();
        const local = await new Query("Job").fromPin().find();
        const remote = await new Query("Job").get(job.id);
        const answer = [await told, local[0].get("text"), remote.get("text"), User.current().authenticated()];
        await LiveQuery.close();
        return JSON.stringify(answer);
      };
    `);
    await rest(purse, "POST", "/classes/Job", { text: "first" }, { useMasterKey: true });
    const worker = createContext({
      ...{ fetch, WebSocket, crypto, URL, Headers, Response, Request, Blob, console },
      ...{ navigator: { userAgent: "Mozilla/5.0" }, WorkerGlobalScope: class {} },
      ...{ AbortController, AbortSignal, TextEncoder, TextDecoder, setTimeout, clearTimeout, atob, btoa },
    });
    runInContext(code.replace(/^export .*$/gm, ""), worker);
    const { run } = worker;
    if (typeof run !== "function") throw new Error("The bundle has no run");
    expect(JSON.parse(await run(purse.serverUrl, purse.appId))).toEqual(["done", "done", "done", true]);
  });
});

if (NIGHTLY)
  describe("a bundle with named imports", () => {
    it("contains neither the local datastore nor unused ciphers", async () => {
      const small = await bundle(
        `import { ParseObject, Query, User, start } from "@purse/client"; globalThis.it = [ParseObject, Query, User, start];`,
      );
      expect(small).toContain("_ClientVersion");
      for (const text of ["Parse_LDS_", "getAllContents", "purse1:", "cannot be queried offline"]) {
        expect(small).not.toContain(text);
      }
      const whole = await bundle(
        `import { enableLocalDatastore, enableEncryptedUser } from "@purse/client"; enableLocalDatastore(); enableEncryptedUser("s");`,
      );
      for (const text of ["Parse_LDS_", "purse1:"]) expect(whole).toContain(text);
    });
  });
