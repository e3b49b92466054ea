import { expect, it } from "vitest";
import { loadViews, saveViews, withView } from "./savedViews.ts";

/** A storage in memory. */
function memory() {
  const items = new Map<string, string>();
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  };
}

it("saveViews() stores views per class, and replaces a view with the same name", () => {
  const storage = memory();
  const open = { name: "open", filter: [{ field: "done", operator: "is" as const, value: false }] };
  const views = withView(withView([], open), { name: "all", filter: [], order: "-score" });
  const chart = { fn: "sum", field: "n", by: "createdAt", interval: "day", shape: "bar" } as const;
  saveViews("Note", withView(views, { ...open, order: "text", chart }), storage);
  expect(loadViews("Note", storage)).toMatchObject([
    { name: "all", order: "-score" },
    { name: "open", order: "text", filter: open.filter, chart },
  ]);
  expect(loadViews("Task", storage)).toEqual([]);
});

it("loadViews() ignores invalid views", () => {
  const storage = memory();
  storage.setItem(
    "purse.studio.views.Note",
    JSON.stringify([null, { filter: [] }, { name: "x", filter: 5 }]),
  );
  expect(loadViews("Note", storage)).toEqual([{ name: "x", filter: [], order: undefined }]);
  storage.setItem("purse.studio.views.Note", "{");
  expect(loadViews("Note", storage)).toEqual([]);
});
