import type { Filter } from "@purse/ui";
import { describe, expect, it } from "vitest";
import { hasQuickFilter, parseQuickFilter, quickFilterText, withQuickFilter } from "./quickFilter.ts";

const text = { name: "title", type: "String" } as const;
const price = { name: "price", type: "Number" } as const;
const due = { name: "due", type: "Date" } as const;
const done = { name: "done", type: "Boolean" } as const;
const owner = { name: "owner", type: "Pointer", targetClass: "_User" } as const;

describe("a quick filter", () => {
  it.each([
    [text, "  bean ", { field: "title", operator: "contains", value: "bean" }],
    [text, ">5", { field: "title", operator: "contains", value: ">5" }],
    [
      { name: "objectId", type: "String" } as const,
      "abc",
      { field: "objectId", operator: "is", value: "abc" },
    ],
    [price, "5", { field: "price", operator: "is", value: 5 }],
    [price, ">= 5", { field: "price", operator: "least", value: 5 }],
    [price, "<-2.5", { field: "price", operator: "less", value: -2.5 }],
    [done, "true", { field: "done", operator: "is", value: true }],
    [
      due,
      "2026-01-31T00:00:00Z",
      { field: "due", operator: "least", value: { __type: "Date", iso: "2026-01-31T00:00:00.000Z" } },
    ],
    [
      due,
      "=2026-01-31T00:00:00Z",
      { field: "due", operator: "is", value: { __type: "Date", iso: "2026-01-31T00:00:00.000Z" } },
    ],
    [
      owner,
      "ann0000001",
      {
        field: "owner",
        operator: "is",
        value: { __type: "Pointer", className: "_User", objectId: "ann0000001" },
      },
    ],
  ])("of $name by %j is parsed, and shown again as it can be entered", (column, entered, filter) => {
    const parsed = parseQuickFilter(entered, column);
    expect(parsed).toEqual({ filter });
    const shown = quickFilterText("filter" in parsed && parsed.filter ? [parsed.filter] : [], column);
    expect(parseQuickFilter(shown, column)).toEqual({ filter });
  });

  it("is removed by an empty text, and has a problem if the value is invalid", () => {
    expect(parseQuickFilter(" ", price)).toEqual({ filter: undefined });
    expect(parseQuickFilter(">x", price)).toEqual({ problem: "Enter a number." });
    expect(parseQuickFilter("yes", done)).toEqual({ problem: "Enter true or false." });
  });

  it("replaces the previous one of its column and keeps all other filters", () => {
    const others: Filter[] = [
      { field: "price", operator: "there" },
      { field: "title", operator: "contains", value: "a" },
      { any: [{ field: "price", operator: "is", value: 1 }] },
    ];
    const next: Filter = { field: "price", operator: "more", value: 9 };
    const filters = withQuickFilter([...others, { field: "price", operator: "is", value: 1 }], price, next);
    expect(filters).toEqual([...others, next]);
    expect(withQuickFilter(filters, price, undefined)).toEqual(others);
    expect(quickFilterText(others, price)).toBe("");
  });

  it("replaces only the shown one of several conditions on its column", () => {
    const least: Filter = { field: "price", operator: "least", value: 1 };
    const most: Filter = { field: "price", operator: "most", value: 9 };
    const next: Filter = { field: "price", operator: "least", value: 2 };
    expect(quickFilterText([least, most], price)).toBe(">=1");
    expect(withQuickFilter([least, most], price, next)).toEqual([next, most]);
    expect(withQuickFilter([least, most], price, undefined)).toEqual([most]);
  });

  it("exists for texts, numbers, booleans, dates and pointers", () => {
    expect([text, price, due, done, owner].every(hasQuickFilter)).toBe(true);
    expect(hasQuickFilter({ type: "ACL" })).toBe(false);
  });
});
