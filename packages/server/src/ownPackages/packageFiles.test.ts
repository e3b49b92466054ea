import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PackageFiles } from "./packageFiles.ts";
import { type PackagePart, PackagesUnavailableError } from "./packageSource.ts";

const BASE = "http://127.0.0.1:1337/packages";
const LONG_TEXT = "a line of a file\n".repeat(1_000);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "purse-packages-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Packs a package as npm does. */
function pack(part: PackagePart, file: string, manifest: object): void {
  const source = join(folder, "source", file);
  mkdirSync(join(source, "package/dist"), { recursive: true });
  mkdirSync(join(folder, part), { recursive: true });
  writeFileSync(join(source, "package/package.json"), JSON.stringify(manifest));
  writeFileSync(join(source, "package/dist/index.js"), LONG_TEXT);
  writeFileSync(join(source, "package/LICENSE"), "free");
  const names = ["package/LICENSE", "package/package.json", "package/dist/index.js"];
  execFileSync("tar", ["-czf", join(folder, part, file), "-C", source, ...names]);
}

function writeIndex(part: PackagePart, packages: Record<string, string>, modules: string[]): void {
  writeFileSync(join(folder, part, "index.json"), JSON.stringify({ version: "0.1.0", packages, modules }));
}

/** The packages of a server that have been built. */
function build(): { files: PackageFiles; opened: PackagePart[] } {
  pack("apps", "client.tgz", {
    name: "@purse/client",
    dependencies: { "@purse/protocol": "0.1.0", viem: "2.0.0" },
  });
  pack("apps", "protocol.tgz", { name: "@purse/protocol" });
  writeIndex("apps", { "client.tgz": "@purse/client", "protocol.tgz": "@purse/protocol" }, [
    "client.js",
    "chunks/part-12345678.js",
  ]);
  mkdirSync(join(folder, "apps/chunks"));
  writeFileSync(join(folder, "apps/client.js"), 'import "./chunks/part-12345678.js";');
  for (const chunk of ["part-12345678", "other-12345678"])
    writeFileSync(join(folder, `apps/chunks/${chunk}.js`), "export {};");
  pack("command", "purse.tgz", { name: "purse", dependencies: {} });
  writeIndex("command", { "purse.tgz": "purse" }, []);
  const opened: PackagePart[] = [];
  const open = async (part: PackagePart) => {
    opened.push(part);
    return join(folder, part);
  };
  return { files: new PackageFiles({ open }), opened };
}

/** Unpacks a file, and returns its manifest and its other file. */
function unpack(content: Buffer): { manifest: unknown; text: string } {
  const target = mkdtempSync(join(folder, "unpacked-"));
  writeFileSync(join(target, "file.tgz"), content);
  execFileSync("tar", ["-xzf", join(target, "file.tgz"), "-C", target]);
  return {
    manifest: JSON.parse(readFileSync(join(target, "package/package.json"), "utf8")),
    text: readFileSync(join(target, "package/dist/index.js"), "utf8"),
  };
}

async function contentOf(files: PackageFiles, name: string, base = BASE): Promise<Buffer> {
  const content = (await files.find(name, base))?.content;
  if (!content) throw new Error(`${name} was not found`);
  return Buffer.isBuffer(content) ? content : readFileSync(content.path);
}

describe("PackageFiles", () => {
  it("name the other packages of the server by their URLs, and leave everything else as it was packed", async () => {
    const { files } = build();
    const { manifest, text } = unpack(await contentOf(files, "client.tgz"));
    expect(manifest).toEqual({
      name: "@purse/client",
      dependencies: { "@purse/protocol": `${BASE}/protocol.tgz`, viem: "2.0.0" },
      purse: { packages: BASE },
    });
    expect(text).toBe(LONG_TEXT);
  });

  it("have the integrity of what is sent", async () => {
    const { files } = build();
    for (const name of ["client.tgz", "client.js", "purse.tgz"]) {
      const content = await contentOf(files, name);
      const digest = createHash("sha512").update(content).digest("base64");
      expect(await files.find(name, BASE)).toMatchObject({
        integrity: `sha512-${digest}`,
        size: content.length,
      });
    }
  });

  it("open a part with its first file only, and once", async () => {
    const { files, opened } = build();
    await Promise.all(["client.tgz", "protocol.tgz", "client.js"].map((name) => files.find(name, BASE)));
    expect(opened).toEqual(["apps"]);
    await files.find("purse.tgz", BASE);
    expect(opened).toEqual(["apps", "command"]);
  });

  it("keep the files of four base URLs, and of the one that was used last", async () => {
    const { files } = build();
    const [first, second] = [await files.find("client.tgz", BASE), await files.find("client.tgz", BASE)];
    expect(second).toBe(first);
    for (const host of ["b", "c", "d", "e"]) await files.find("client.tgz", `http://${host}/packages`);
    const again = await files.find("client.tgz", BASE);
    expect(again).not.toBe(first);
    expect(again?.integrity).toBe(first?.integrity);
  });

  it.each([
    "",
    "index.json",
    "../apps/client.tgz",
    "chunks/../index.json",
    "chunks/other-12345678.js",
    "chunks/part-1234567.js",
    "constructor",
    "client",
    "CLIENT.TGZ",
    "client.tgz/",
  ])("have no file %j", async (name) => {
    const { files } = build();
    expect(await files.find(name, BASE)).toBeUndefined();
  });

  it("list the packages and modules with their URLs, sizes and integrity", async () => {
    const { files } = build();
    const listing = await files.list(BASE);
    expect(listing.packages.map(({ name, url }) => [name, url])).toEqual([
      ["@purse/client", `${BASE}/client.tgz`],
      ["@purse/protocol", `${BASE}/protocol.tgz`],
      ["purse", `${BASE}/purse.tgz`],
    ]);
    expect(listing).toMatchObject({
      version: "0.1.0",
      modules: [{ url: `${BASE}/client.js` }, { url: `${BASE}/chunks/part-12345678.js` }],
    });
    for (const { integrity, size } of [...listing.packages, ...listing.modules]) {
      expect(integrity).toMatch(/^sha512-/);
      expect(size).toBeGreaterThan(0);
    }
  });

  it("are looked for again after they were not available", async () => {
    build();
    let isBuilt = false;
    const files = new PackageFiles({
      async open(part) {
        if (!isBuilt) throw new PackagesUnavailableError("not yet");
        return join(folder, part);
      },
    });
    await expect(files.find("client.tgz", BASE)).rejects.toThrow("not yet");
    isBuilt = true;
    expect(await files.find("client.tgz", BASE)).toBeDefined();
  });
});
