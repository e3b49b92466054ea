import { expect, it } from "vitest";
import {
  type EventState,
  forkAt,
  newEventState,
  parseEventState,
  removedRows,
  visibleRows,
} from "./eventState.ts";

interface Row {
  position: number;
  fork: number;
}

/** Evaluates the SQL condition for a row. */
function isVisible(state: EventState, row: Row): boolean {
  const condition = visibleRows(state).replaceAll("AND", "&&").replaceAll("OR", "||");
  return new Function("position", "fork", `return ${condition}`)(row.position, row.fork);
}

it("begins with no rows, and each new state has its own tables", () => {
  const state = newEventState();
  expect(isVisible(state, { position: 0, fork: 0 })).toBe(false);
  expect(newEventState().id).not.toBe(state.id);
  expect(parseEventState(JSON.stringify(state))).toEqual(state);
});

it("shows rows only once their state is saved", () => {
  const state = { ...newEventState(), fork: 1 };
  const row = { position: 5, fork: 1 };
  expect(isVisible(state, row)).toBe(false);
  expect(isVisible({ ...state, end: 10 }, row)).toBe(true);
});

it("hides rows of a fork from the position of the next one, also those that are written later", () => {
  const before: EventState = { ...newEventState(), fork: 1, end: 100 };
  const after = { ...forkAt(before, 50, 0), end: 120 };
  expect(after.fork).toBe(2);
  expect(isVisible(after, { position: 49, fork: 1 })).toBe(true);
  expect(isVisible(after, { position: 50, fork: 1 })).toBe(false);
  expect(isVisible(after, { position: 110, fork: 1 })).toBe(false);
  expect(isVisible(after, { position: 50, fork: 2 })).toBe(true);
});

it("leaves the rows of the old chain to readers that still have the old state", () => {
  const before: EventState = { ...newEventState(), fork: 1, end: 100 };
  forkAt(before, 50, 0);
  expect(isVisible(before, { position: 60, fork: 1 })).toBe(true);
  expect(isVisible(before, { position: 60, fork: 2 })).toBe(false);
});

it("uses numbers of forks that no earlier process can have used", () => {
  expect(forkAt({ ...newEventState(), fork: 7 }, 0, 1_000).fork).toBe(1_000);
  expect(forkAt({ ...newEventState(), fork: 2_000 }, 0, 1_000).fork).toBe(2_001);
});

it("keeps only the removals that a later one does not include", () => {
  let state: EventState = { ...newEventState(), fork: 1, end: 100 };
  for (const from of [90, 95, 80]) state = { ...forkAt(state, from, 0), end: 100 };
  expect(state.removed.map(({ from }) => from)).toEqual([80]);
  state = { ...forkAt(state, 99, 0), end: 100 };
  expect(state.removed.map(({ from }) => from)).toEqual([80, 99]);
});

it("deletes exactly the rows below its end that are not visible", () => {
  let state: EventState = { ...newEventState(), fork: 1, end: 100 };
  for (const from of [40, 60, 50, 70]) state = { ...forkAt(state, from, 0), end: 100 };
  const condition = removedRows(state.removed).replaceAll("AND", "&&").replaceAll("OR", "||");
  const isRemoved = new Function("position", "fork", `return ${condition}`);
  for (let fork = 1; fork <= state.fork; fork++)
    for (let position = 0; position < 100; position++)
      expect(isRemoved(position, fork)).toBe(!isVisible(state, { position, fork }));
});
