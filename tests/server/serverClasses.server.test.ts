import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type DescribedClass, generateTypes } from "@purse/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";
import { purseCommand } from "../support/purseCommand.ts";

const ROOT = resolve(import.meta.dirname, "../..");

const post = (fields: DescribedClass["fields"]): DescribedClass => ({ className: "Post", fields });

describe("generateTypes()", () => {
  it("declares each field of a class, optional unless it is required", () => {
    const text = generateTypes([
      post({ title: { type: "String", required: true }, likes: { type: "Number" } }),
    ]);
    expect(text).toContain(
      "export type Post = purse.ParseObject<{\n  likes?: number;\n  title: string;\n}>;",
    );
  });

  it("omits fields that every object has, and internal classes", () => {
    const common = { objectId: { type: "String" }, createdAt: { type: "Date" }, ACL: { type: "ACL" } };
    const text = generateTypes([post(common), { className: "_JobStatus", fields: {} }]);
    expect(text).toContain("purse.ParseObject<{\n}>");
    expect(text).not.toContain("JobStatus");
  });

  it("declares pointers and relations to classes, and to ParseObject for unknown ones", () => {
    const text = generateTypes([
      post({
        author: { type: "Pointer", targetClass: "_User" },
        likedBy: { type: "Relation", targetClass: "_User" },
        lost: { type: "Pointer", targetClass: "Gone" },
      }),
      { className: "_User", fields: { username: { type: "String" }, nickname: { type: "String" } } },
    ]);
    expect(text).toContain("author?: User;");
    expect(text).toContain("likedBy?: purse.Relation<User>;");
    expect(text).toContain("lost?: purse.ParseObject;");
    expect(text).toContain("export type User = purse.User<{\n  nickname?: string;\n}>;");
  });

  it("renames classes whose names have another meaning in TypeScript", () => {
    const classes = ["User", "_User", "any", "purse"].map((className) => ({ className, fields: {} }));
    const names = [...generateTypes(classes).matchAll(/export type (\w+) =/g)].map(([, name]) => name);
    expect(names).toEqual(["User_", "User", "any_", "purse_"]);
  });

  it("does not depend on the order of classes and fields", () => {
    const one = post({ a: { type: "Array" }, b: { type: "Bytes" } });
    const two = { className: "Blog", fields: {} };
    const turned = post({ b: { type: "Bytes" }, a: { type: "Array" } });
    expect(generateTypes([one, two])).toBe(generateTypes([two, turned]));
  });
});

describe("npm run purse -- types", () => {
  let purse: Purse;
  let project: string;
  const written = () => join(project, "classes.ts");

  beforeAll(async () => {
    mkdirSync(join(ROOT, ".cache"), { recursive: true });
    project = mkdtempSync(join(ROOT, ".cache/types-"));
    purse = await hostPurse();
    const fields = {
      title: { type: "String", required: true },
      likes: { type: "Number" },
      at: { type: "GeoPoint" },
      due: { type: "Date" },
      paper: { type: "File" },
      tags: { type: "Array" },
      author: { type: "Pointer", targetClass: "_User" },
      related: { type: "Relation", targetClass: "Post" },
    };
    const answer = await rest(purse, "POST", "/schemas/Post", { fields }, { useMasterKey: true });
    expect(answer.status).toBe(200);
  });
  afterAll(async () => {
    await purse?.remove();
    rmSync(project, { recursive: true, force: true });
  });

  async function purseTypes(...args: string[]): Promise<string> {
    const env = { PURSE_APP_ID: purse.appId, PURSE_MASTER_KEY: purse.masterKey };
    return (await purseCommand(["types", "--out", written(), ...args], env)).output;
  }

  it("reads the classes of a running server with the master key", async () => {
    expect(await purseTypes("--server", purse.serverUrl)).toContain("classes.ts: written");
    expect(readFileSync(written(), "utf8")).toContain("export type Post = purse.ParseObject<{");
    expect(await purseTypes("--server", purse.serverUrl)).toContain("up to date");
  });

  it("writes the same file from the data folder", async () => {
    await purseTypes("--server", purse.serverUrl);
    expect(await purseTypes("--data-dir", purse.dataDir, "--check")).toContain("up to date");
  });

  it("reports a stale file, and a server that does not return its classes", async () => {
    writeFileSync(written(), "// old");
    expect(await purseTypes("--data-dir", purse.dataDir, "--check")).toContain("is stale");
    expect(readFileSync(written(), "utf8")).toBe("// old");
    expect(await purseTypes("--server", `${purse.url}/nowhere`)).toContain("does not return its classes");
  });

  // It compiles for seconds.
  if (!NIGHTLY) return;

  it("makes queries aware of the fields", async () => {
    await purseTypes("--server", purse.serverUrl);
    const use = `
      import { type GeoPoint, Query } from "@purse/client";
      import type { Post, User } from "./classes.ts";
      const query = new Query<Post>("Post").equalTo("title", "First").greaterThan("likes", 3).include("author.team");
      export async function use(): Promise<[string, number | undefined, User | undefined, GeoPoint | undefined]> {
        const post = await query.descending("createdAt").get("id");
        await post.save({ likes: (post.get("likes") ?? 0) + 1 });
        const name: string | undefined = post.get("author")?.get("username");
        const related: Post[] = await post.relation<Post>("related").query().find();
        return [post.get("title"), related[0]?.attributes.likes, post.get("author"), post.get("at")];
      }
      // @ts-expect-error The class has no such field.
      query.equalTo("titel", "First");
      // @ts-expect-error Likes are counted in numbers.
      export const save = (post: Post) => post.save({ likes: "many" });
    `;
    writeFileSync(join(project, "use.ts"), use);
    const compilerOptions = {
      module: "nodenext",
      target: "es2024",
      lib: ["es2024", "dom"],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      types: ["node"],
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    expect(compiled(project)).toBe("");
  });
});

function compiled(project: string): string {
  try {
    return execFileSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", project], { encoding: "utf8" });
  } catch (error) {
    return String(Object(error).stdout);
  }
}
