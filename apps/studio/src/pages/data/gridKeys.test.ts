import { describe, expect, it } from "vitest";
import { actionForKey, type GridState } from "./gridKeys.ts";

const state: GridState = { active: { row: 2, column: 1 }, rows: 5, columns: 4, page: 3 };
const head: GridState = { ...state, active: { row: -1, column: 1 } };
const press = (key: string, held: { shift?: boolean; ctrl?: boolean; alt?: boolean } = {}, at = state) =>
  actionForKey(
    {
      key,
      shiftKey: held.shift ?? false,
      ctrlKey: held.ctrl ?? false,
      metaKey: false,
      altKey: held.alt ?? false,
    },
    at,
  );

describe("a key in the grid", () => {
  it("moves the focus within the grid, and extends the selection with Shift", () => {
    expect(press("ArrowDown")).toEqual({ do: "go", to: { row: 3, column: 1 }, extends: false });
    expect(press("ArrowRight", { ctrl: true, shift: true })).toEqual({
      do: "go",
      to: { row: 2, column: 3 },
      extends: true,
    });
    expect(press("PageUp")).toMatchObject({ to: { row: -1, column: 1 } });
    expect(press("PageUp", { shift: true })).toMatchObject({ to: { row: 0, column: 1 } });
    expect(press("End", { ctrl: true })).toMatchObject({ to: { row: 4, column: 3 } });
  });

  it("edits, opens, selects or clears a cell", () => {
    expect(press("x")).toEqual({ do: "edit", initialText: "x" });
    expect(press("Enter")).toEqual({ do: "edit" });
    expect(press(" ")).toEqual({ do: "open" });
    expect(press(" ", { shift: true })).toEqual({ do: "pick" });
    expect(press("Delete")).toEqual({ do: "clear" });
    expect(press("a", { ctrl: true })).toEqual({ do: "all" });
  });

  it("sorts, pins, hides or moves a column in the header", () => {
    expect(press("Enter", { shift: true }, head)).toEqual({ do: "sort", isAdditive: true });
    expect(press("p", {}, head)).toEqual({ do: "pin" });
    expect(press("h", {}, head)).toEqual({ do: "hide" });
    expect(press("ArrowLeft", { ctrl: true, shift: true }, head)).toEqual({ do: "moveColumn", by: -1 });
  });

  it("is not handled otherwise", () => {
    for (const [key, held] of [
      ["c", { ctrl: true }],
      ["k", { ctrl: true }],
      ["Tab", {}],
      ["ArrowLeft", { alt: true }],
    ] as const)
      expect(press(key, held), key).toBeUndefined();
    expect(press("x", {}, head)).toBeUndefined();
  });
});
