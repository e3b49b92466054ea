import { describe, expect, it } from "vitest";
import { findCycles, folderGraph, importGraph, layerProblems, levelsOf } from "./architecture.ts";

const graphOf = (sources: Record<string, string>) => importGraph(new Map(Object.entries(sources)));

describe("importGraph()", () => {
  it("finds static, dynamic, side-effect and type-only imports and re-exports", () => {
    const graph = graphOf({
      "src/a.ts": [
        'import { b } from "./b.ts";',
        'import type { C } from "./c.ts";',
        'export * from "./folder/d.ts";',
        'import "./e.ts";',
        'const f = await import("./f.ts");',
        'import { join } from "node:path";',
      ].join("\n"),
      ...Object.fromEntries(["b", "c", "folder/d", "e", "f"].map((name) => [`src/${name}.ts`, ""])),
    });
    expect(graph.get("src/a.ts")).toEqual([
      "src/b.ts",
      "src/c.ts",
      "src/folder/d.ts",
      "src/e.ts",
      "src/f.ts",
    ]);
  });

  it("finds an import that is spread over several lines", () => {
    const graph = graphOf({ "a.ts": 'import {\n  type B,\n  c,\n} from "./b.ts";\n', "b.ts": "" });
    expect(graph.get("a.ts")).toEqual(["b.ts"]);
  });
});

describe("findCycles()", () => {
  it("finds a planted cycle through the name of a package", () => {
    const sources = {
      "packages/client/src/index.ts": 'export * from "./a.ts";',
      "packages/client/src/a.ts": 'import { b } from "@purse/client";',
    };
    const graph = importGraph(
      new Map(Object.entries(sources)),
      new Map([["@purse/client", "packages/client/src/index.ts"]]),
    );
    expect(findCycles(graph)).toEqual([Object.keys(sources).sort()]);
  });

  it("finds a planted cycle that consists of type-only imports", () => {
    const graph = graphOf({
      "a.ts": 'import type { B } from "./b.ts";',
      "b.ts": 'import type { C } from "./c.ts";',
      "c.ts": 'import type { A } from "./a.ts";',
      "d.ts": 'import { a } from "./a.ts";',
    });
    expect(findCycles(graph)).toEqual([["a.ts", "b.ts", "c.ts"]]);
  });

  it("finds none where two files import the same third one", () => {
    const graph = graphOf({
      "a.ts": 'import "./b.ts";\nimport "./c.ts";',
      "b.ts": 'import "./c.ts";',
      "c.ts": "",
    });
    expect(findCycles(graph)).toEqual([]);
  });
});

describe("folderGraph()", () => {
  it("finds a planted cycle between two folders whose files have none", () => {
    const graph = graphOf({
      "src/x/a.ts": 'import "../y/b.ts";',
      "src/x/c.ts": "",
      "src/y/b.ts": "",
      "src/y/d.ts": 'import "../x/c.ts";',
    });
    expect(findCycles(graph)).toEqual([]);
    expect(findCycles(folderGraph(graph, "src/"))).toEqual([["x", "y"]]);
  });
});

describe("layerProblems()", () => {
  const layers = [["core"], ["data"], ["auth", "mail"]];

  it("finds a planted import of a higher layer, and one within a layer that is not allowed", () => {
    const folders = new Map([
      ["core", ["data"]],
      ["data", ["core"]],
      ["auth", ["core", "mail"]],
      ["mail", []],
    ]);
    expect(layerProblems(folders, layers, new Set())).toEqual([
      "core must not import data, which is not in a lower layer",
      "auth must not import mail, which is not in a lower layer",
    ]);
    expect(layerProblems(folders, layers, new Set(["auth > mail", "core > data"]))).toEqual([]);
  });

  it("finds a folder without a layer, and lets files beside the folders import all of them", () => {
    const folders = new Map([
      ["extra", []],
      ["server.ts", ["auth", "core"]],
    ]);
    expect(layerProblems(folders, layers, new Set())).toEqual(["extra belongs to no layer"]);
  });
});

describe("levelsOf()", () => {
  it("counts the folders of the longest chain of imports, without the files beside them", () => {
    const folders = new Map([
      ["server.ts", ["api"]],
      ["api", ["data", "core"]],
      ["data", ["core"]],
      ["core", []],
    ]);
    expect(levelsOf(folders)).toBe(3);
  });
});
