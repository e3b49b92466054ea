import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureServerBuilt, serverFile } from "./build.mjs";
import { chunkList } from "./buildServer.mjs";

/** A script of the bundle. */
interface Chunk {
  fileName: string;
  imports: string[];
  moduleIds: string[];
  code: string;
}

/** Modules that are loaded when they are needed: they take memory, and a part of the time of a start. */
const LAZY_MODULES = [
  /node_modules\/@aws-sdk\//,
  /node_modules\/@clickhouse\//,
  // Its small API belongs to the metrics.
  /node_modules\/@opentelemetry\/(?!api\/)/,
  /node_modules\/@redis\//,
  /node_modules\/nodemailer\//,
  /node_modules\/(pg-logical-replication|eventemitter2)\//,
  /node_modules\/@simplewebauthn\//,
  /node_modules\/@walletconnect\//,
  /node_modules\/papaparse\//,
  /node_modules\/(@modelcontextprotocol|minisearch)\//,
  /packages\/devchain\//,
  /packages\/server\/src\/api\/parseOpenApi\.ts$/,
  /packages\/server\/src\/modules\/graphql\/(openGraphqlApi|graphqlApi|graphqlServer)\.ts$/,
  /packages\/server\/src\/modules\/mcp\/(openMcpApi|mcpApi|mcpServer|tools\/.*)\.ts$/,
  /packages\/server\/src\/core\/openApi\.ts$/,
  /packages\/server\/src\/studio\/(studioRoutes|openApi)\.ts$/,
  /packages\/server\/src\/studio\/routes\//,
  /packages\/server\/src\/studioApi\/(table|access|apiKeys|data|code|chains|files|jobs|pins|logs|security|webhooks)\.ts$/,
];

describe("the server bundle", () => {
  let chunks: Chunk[];
  beforeAll(() => {
    ensureServerBuilt();
    const listed: Omit<Chunk, "code">[] = JSON.parse(readFileSync(chunkList, "utf8"));
    chunks = listed.map((chunk) => ({
      ...chunk,
      code: readFileSync(join(dirname(serverFile), chunk.fileName), "utf8"),
    }));
  }, 60_000);

  it("loads no modules at startup that only some servers or requests need", () => {
    const modules = staticImports(chunks, "purse.js").flatMap(({ moduleIds }) => moduleIds);
    expect(modules.length).toBeGreaterThan(500);
    expect(modules.filter((module) => LAZY_MODULES.some((lazy) => lazy.test(module)))).toEqual([]);
  });

  it.each(["readerWorker.js", "writerWorker.js"])("keeps the engine of patterns out of %s", (thread) => {
    const modules = staticImports(chunks, thread).flatMap(({ moduleIds }) => moduleIds);
    expect(modules.length).toBeGreaterThan(5);
    expect(modules.filter((module) => module.includes("node_modules/re2js/"))).toEqual([]);
  });

  it("loads neither the hashes of passwords nor undici with its modules", () => {
    const imports = chunks.filter(({ code }) => /\bfrom\s*"(@node-rs\/.*|node:http)"/.test(code));
    expect(imports.map(({ fileName }) => fileName)).toEqual([]);
    expect(chunks.some(({ code }) => /\bimport\([`"]@node-rs\/argon2[`"]\)/.test(code))).toBe(true);
    expect(chunks.some(({ code }) => /getBuiltinModule\([`"]node:http[`"]\)/.test(code))).toBe(true);
  });

  it("does not load undici with the first reply, to see whether it is one of fetch()", () => {
    const checks = chunks.flatMap(
      ({ code }) => code.match(/function isFetchResponse\(obj\) ?\{.*?\}/gs) ?? [],
    );
    expect(checks).toHaveLength(1);
    expect(checks[0]).not.toMatch(/instanceof Response\b/);
  });

  it("has no chunk that imports the entry, which would wait for its own end", () => {
    const importers = chunks.filter(({ imports }) => imports.includes("purse.js"));
    expect(importers.map(({ fileName }) => fileName)).toEqual([]);
  });

  it("consists of ASCII, so that V8 stores one byte per character", () => {
    const wide = chunks.filter(({ code }) => /[^\0-\x7f]/.test(code));
    expect(wide.map(({ fileName }) => fileName)).toEqual([]);
  });
});

/** A file and those that it imports statically, which are evaluated with it. */
function staticImports(chunks: readonly Chunk[], entry: string): Chunk[] {
  const names = new Set([entry]);
  for (const name of names) {
    for (const imported of chunks.find(({ fileName }) => fileName === name)?.imports ?? [])
      names.add(imported);
  }
  return chunks.filter(({ fileName }) => names.has(fileName));
}
