import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

/** Definitions at every possible moment after loading. `WORD` distinguishes the versions. */
const LATE = `
  setImmediate(() => Parse.Cloud.define("inSetImmediate", () => WORD));
  process.nextTick(() => Parse.Cloud.define("inNextTick", () => WORD));
  queueMicrotask(() => Parse.Cloud.define("inMicrotask", () => WORD));
  setTimeout(() => Parse.Cloud.define("inTimer", () => WORD));
  Promise.resolve().then(() => Parse.Cloud.define("inPromise", () => WORD));
  (async () => {
    await new Promise((resolve) => setImmediate(resolve));
    Parse.Cloud.define("afterAwait", () => WORD);
    await new Promise((resolve) => setImmediate(resolve));
    Parse.Cloud.beforeSave("Guarded", () => { throw WORD; });
  })();
  Parse.Cloud.define("redefined", () => "first");
  setImmediate(() => Parse.Cloud.define("redefined", () => WORD));
  Parse.Cloud.define("atOnce", () => WORD);
  Parse.Cloud.define("fromInside", async () => {
    Parse.Cloud.define("justNow", () => WORD);
    return Parse.Cloud.run("justNow");
  });
  Parse.Cloud.define("crash", () => process.exit(3));
`;
const NAMES = [
  "atOnce",
  "inSetImmediate",
  "inNextTick",
  "inMicrotask",
  "inTimer",
  "inPromise",
  "afterAwait",
  "redefined",
  "fromInside",
  "justNow",
];

const KINDS: readonly (readonly [kind: string, file: string, code: (word: string) => string])[] = [
  ["a CommonJS module", "main.cjs", (word) => `const WORD = "${word}";${LATE}`],
  [
    "an ES module with top-level await",
    "main.mjs",
    (word) => `const WORD = "${word}";${LATE}
      await new Promise((resolve) => setImmediate(resolve));
      Parse.Cloud.define("afterTopLevelAwait", () => WORD);`,
  ],
];

describe.each(KINDS)("definitions of %s made after it was loaded", (_, file, code) => {
  let folder: string;
  let purse: Purse;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "purse-definitions-"));
    await writeFile(join(folder, file), code("one"));
    purse = await hostPurse({ env: { PURSE_CLOUD: join(folder, file) } });
  });
  afterAll(async () => {
    await purse?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const call = async (name: string) => (await rest(purse, "POST", `/functions/${name}`, {})).body;
  const words = async () => {
    const answers: unknown[] = [];
    for (const name of NAMES) answers.push((await call(name)).result);
    return [...answers, (await rest(purse, "POST", "/classes/Guarded", {})).body.error];
  };
  const all = (word: string) => [...NAMES, "Guarded"].map(() => word);

  it("take effect, and are not overwritten by an older list of definitions", async () => {
    await expect.poll(words, { timeout: 10_000 }).toEqual(all("one"));
    expect(await words()).toEqual(all("one"));
    if (file.endsWith(".mjs")) expect(await call("afterTopLevelAwait")).toEqual({ result: "one" });
  });

  it("take effect again after the thread crashed and restarted", async () => {
    await call("crash");
    await expect.poll(words, { timeout: 15_000 }).toEqual(all("one"));
  });

  it("are those of the new code after a reload, whatever the old code still defines", async () => {
    await writeFile(join(folder, file), code("two"));
    await expect.poll(words, { timeout: 15_000 }).toEqual(all("two"));
  });
});

describe("replaced cloud code that still makes definitions", () => {
  it("does not change definitions of the new code", async () => {
    const folder = await mkdtemp(join(tmpdir(), "purse-definitions-"));
    const main = join(folder, "main.mjs");
    const end = join(folder, "end");
    // A long call keeps the old thread, which makes more definitions until it has responded.
    await writeFile(
      main,
      `import { existsSync } from "node:fs";
       let count = 0;
       Parse.Cloud.define("word", () => "old");
       Parse.Cloud.define("slow", () => new Promise((resolve) => {
         const timer = setInterval(() => {
           Parse.Cloud.define("old" + count++, () => "old");
           if (!existsSync(${JSON.stringify(end)})) return;
           clearInterval(timer);
           resolve(count);
         }, 10);
       }));`,
    );
    const purse = await hostPurse({ env: { PURSE_CLOUD: main } });
    try {
      const call = async (name: string) => (await rest(purse, "POST", `/functions/${name}`, {})).body;
      const slow = call("slow");
      await writeFile(
        main,
        `Parse.Cloud.define("word", () => "new");Parse.Cloud.define("added", () => "new");`,
      );
      await expect.poll(() => call("added"), { timeout: 10_000 }).toEqual({ result: "new" });
      for (let i = 0; i < 20; i++) expect(await call("word")).toEqual({ result: "new" });
      await writeFile(end, "");
      expect(Number((await slow).result)).toBeGreaterThan(1);
      expect(await call("added")).toEqual({ result: "new" });
      expect(await call("old0")).toMatchObject({ code: 141 });
    } finally {
      await purse.remove();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("removes all its definitions with _removeAllHooks()", async () => {
    const folder = await mkdtemp(join(tmpdir(), "purse-definitions-"));
    await writeFile(
      join(folder, "main.cjs"),
      `Parse.Cloud.define("gone", () => "there");
       Parse.Cloud.beforeSave("Guarded", () => { throw "guarded"; });
       Parse.Cloud.define("remove", () => {
         Parse.Cloud._removeAllHooks();
         Parse.Cloud.define("after", () => "there");
       });`,
    );
    const purse = await hostPurse({ env: { PURSE_CLOUD: join(folder, "main.cjs") } });
    try {
      const call = async (name: string) => (await rest(purse, "POST", `/functions/${name}`, {})).body;
      expect(await call("gone")).toEqual({ result: "there" });
      await call("remove");
      expect(await call("gone")).toMatchObject({ code: 141 });
      expect(await call("after")).toEqual({ result: "there" });
      expect((await rest(purse, "POST", "/classes/Guarded", {})).status).toBe(201);
    } finally {
      await purse.remove();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("is watched in files that it loads later", async () => {
    const folder = await mkdtemp(join(tmpdir(), "purse-definitions-"));
    await writeFile(join(folder, "late.mjs"), `Parse.Cloud.define("late", () => "one");`);
    await writeFile(join(folder, "main.mjs"), `setTimeout(() => import("./late.mjs"));`);
    const purse = await hostPurse({ env: { PURSE_CLOUD: join(folder, "main.mjs") } });
    try {
      const late = async () => (await rest(purse, "POST", "/functions/late", {})).body.result;
      await expect.poll(late, { timeout: 10_000 }).toBe("one");
      await writeFile(join(folder, "late.mjs"), `Parse.Cloud.define("late", () => "two");`);
      await expect.poll(late, { timeout: 10_000 }).toBe("two");
    } finally {
      await purse.remove();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
