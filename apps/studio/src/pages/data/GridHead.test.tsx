import type { Filter } from "@purse/ui";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, expect, it } from "vitest";
import { GridHead } from "./GridHead.tsx";

afterEach(cleanup);

const column = (name: string, type: "String" | "Number" | "ACL") => ({
  ...{ name, type, width: 120, isPinned: false, isHidden: false },
});
const COLUMNS = [column("city", "String"), column("total", "Number"), column("ACL", "ACL")];

/** Renders the head with filters that it changes itself; returns those of the last change. */
function open(initial: Filter[] = []) {
  const state: { filters: Filter[] } = { filters: initial };
  const nothing = () => undefined;
  function Head() {
    const [filters, setFilters] = useState(initial);
    const [filteredColumn, setFilteredColumn] = useState<string | undefined>(undefined);
    state.filters = filters;
    const spans = { pinned: [], unpinned: COLUMNS, firstIndex: 0, leadingWidth: 0, width: 400 };
    return (
      <GridHead
        {...{ grid: "g", active: { row: -1, column: 0 }, columns: COLUMNS, order: undefined, spans }}
        {...{ isAllChecked: false, onToggleAll: nothing, onSort: nothing, onResize: nothing }}
        {...{ onMoveColumn: nothing, onActive: nothing, filters, onFilter: setFilters }}
        filteredColumn={filteredColumn}
        onFilteredColumn={setFilteredColumn}
      />
    );
  }
  render(<Head />);
  return state;
}

const begin = (name: string) => {
  fireEvent.click(screen.getByRole("button", { name: `Filter by ${name}` }));
  return screen.getByRole("textbox", { name: `Filter by ${name}` });
};

it("GridHead filters by what is entered in the head of a column, and removes that again", () => {
  const state = open([{ field: "city", operator: "there" }]);
  const input = begin("total");
  fireEvent.change(input, { target: { value: ">=12" } });
  fireEvent.keyDown(input, { key: "Enter" });
  expect(state.filters).toEqual([
    { field: "city", operator: "there" },
    { field: "total", operator: "least", value: 12 },
  ]);
  const again = begin("total");
  expect(again).toHaveProperty("value", ">=12");
  fireEvent.change(again, { target: { value: "" } });
  fireEvent.keyDown(again, { key: "Enter" });
  expect(state.filters).toEqual([{ field: "city", operator: "there" }]);
});

it("GridHead keeps an invalid filter open, and Escape cancels it", () => {
  const state = open();
  const input = begin("total");
  fireEvent.change(input, { target: { value: "many" } });
  fireEvent.keyDown(input, { key: "Enter" });
  expect(input.getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByRole("alert").textContent).toBe("Enter a number.");
  expect(input.getAttribute("aria-describedby")).toBe(screen.getByRole("alert").id);
  fireEvent.keyDown(input, { key: "Escape" });
  expect(screen.queryByRole("textbox")).toBeNull();
  expect(state.filters).toEqual([]);
  expect(screen.queryByRole("button", { name: "Filter by ACL" })).toBeNull();
});
