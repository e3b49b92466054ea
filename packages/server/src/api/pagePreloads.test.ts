import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readPagePreloads } from "./pagePreloads.ts";

const folder = mkdtempSync(join(tmpdir(), "page-preloads-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the preloads of pages", () => {
  writeFileSync(
    join(folder, "preloads.json"),
    JSON.stringify({
      "/": "home",
      "/tokens": "tokens",
      "/tokens/$address": "token",
      "/tokens/$address/$id": "item",
    }),
  );
  const preloadsOf = readPagePreloads([join(folder, "missing"), folder]);

  it.each([
    ["/tokens", "tokens"],
    ["/tokens/", "tokens"],
    ["/tokens/0x1", "token"],
    ["/tokens/0x1/7", "item"],
    ["/", "home"],
    ["/token", undefined],
    ["/tokens/0x1/7/8", undefined],
    ["/constructor", undefined],
  ])("of %s are %s", (path, link) => {
    expect(preloadsOf(path)).toBe(link);
  });

  it("are none for apps that were built without them", () => {
    expect(readPagePreloads([join(folder, "missing")])("/tokens")).toBeUndefined();
  });
});
