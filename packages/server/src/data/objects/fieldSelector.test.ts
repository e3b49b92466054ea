import type { JsonObject } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { createFieldSelector } from "./fieldSelector.ts";

const COMMON = { objectId: "a1", createdAt: "2026", updatedAt: "2026" };
const AUTHOR = { __type: "Object", className: "Author", objectId: "b2", name: "Ann", email: "ann@x.io" };

const keep = (object: JsonObject, ...keys: string[]) =>
  createFieldSelector({ keys, excludeKeys: [], includeScore: false })(object);
const exclude = (object: JsonObject, ...excludeKeys: string[]) =>
  createFieldSelector({ keys: undefined, excludeKeys, includeScore: false })(object);

describe("selected keys", () => {
  it("keep the common fields of an object besides them", () => {
    expect(keep({ ...COMMON, title: "Tea", text: "…" }, "title")).toEqual({ ...COMMON, title: "Tea" });
  });

  it("select a part of an included object, which keeps its type, class and id", () => {
    expect(keep({ ...COMMON, author: AUTHOR }, "author.name")).toEqual({
      ...COMMON,
      author: { __type: "Object", className: "Author", objectId: "b2", name: "Ann" },
    });
  });

  it("select a part of each item of a list", () => {
    expect(keep({ items: [{ n: 1, m: 2 }, 3] }, "items.n")).toEqual({ items: [{ n: 1 }, 3] });
  });

  it("leave a pointer that was not included as it is", () => {
    const author = { __type: "Pointer", className: "Author", objectId: "b2" };
    expect(keep({ author }, "author.name")).toEqual({ author });
  });

  it("keep the score of a text search if it is asked for", () => {
    const select = createFieldSelector({ keys: ["title"], excludeKeys: [], includeScore: true });
    expect(select({ title: "Tea", score: 0.5, text: "…" })).toEqual({ title: "Tea", score: 0.5 });
  });
});

describe("excluded keys", () => {
  it("never remove the common fields", () => {
    expect(exclude({ ...COMMON, title: "Tea" }, "objectId", "createdAt", "title")).toEqual(COMMON);
  });

  it("remove a part of an included object", () => {
    const { email: _, ...visible } = AUTHOR;
    expect(exclude({ author: AUTHOR }, "author.email")).toEqual({ author: visible });
  });

  it("remove a part of each included object of a list", () => {
    const { email: _, ...visible } = AUTHOR;
    expect(exclude({ authors: [AUTHOR, AUTHOR] }, "authors.email")).toEqual({ authors: [visible, visible] });
  });

  it("apply after selected keys", () => {
    const select = createFieldSelector({ keys: ["a", "b"], excludeKeys: ["b"], includeScore: false });
    expect(select({ a: 1, b: 2, c: 3 })).toEqual({ a: 1 });
  });
});
