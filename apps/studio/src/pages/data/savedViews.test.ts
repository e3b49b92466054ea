import { expect, it } from "vitest";
import { browserViews, forgetBrowserViews, parseView, viewJson } from "./savedViews.ts";

/** A storage in memory. */
function memory(entries: Record<string, string>) {
  const items = new Map(Object.entries(entries));
  return {
    getItem: (key: string) => items.get(key) ?? null,
    removeItem: (key: string) => void items.delete(key),
  };
}

const chart = { fn: "sum", field: "n", by: "createdAt", interval: "day", shape: "bar" } as const;

it("browserViews() reads what earlier versions have stored, without invalid views", () => {
  const storage = memory({
    "purse.studio.views.Note": JSON.stringify([
      null,
      { filter: [] },
      { name: "x", filter: 5, order: "-n", chart },
    ]),
    "purse.studio.views.Task": "{",
  });
  expect(browserViews("Note", storage)).toEqual([{ name: "x", view: { filter: [], order: "-n", chart } }]);
  expect(browserViews("Task", storage)).toEqual([]);
  forgetBrowserViews("Note", storage);
  expect(browserViews("Note", storage)).toEqual([]);
});

it("parseView() reads what viewJson() has written", () => {
  const view = { filter: [{ field: "done", operator: "is" as const, value: false }], order: "text", chart };
  expect(parseView(viewJson(view))).toEqual(view);
  expect(parseView(viewJson({ filter: [], order: undefined }))).toEqual({ filter: [] });
});
