import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CellEditor } from "./CellEditor.tsx";

const COLUMN = { name: "age", type: "Number", width: 120, isPinned: false, isHidden: false } as const;
const onDone = vi.fn();
const onInvalid = vi.fn();
const onCancel = vi.fn();

beforeEach(() => {
  for (const handler of [onDone, onInvalid, onCancel]) handler.mockReset();
});
afterEach(cleanup);

function edit(text: string): HTMLElement {
  render(
    <CellEditor column={COLUMN} value={5} initialText={undefined} {...{ onDone, onInvalid, onCancel }} />,
  );
  const input = screen.getByLabelText("age");
  fireEvent.change(input, { target: { value: text } });
  return input;
}

it("CellEditor shows what is wrong with a value, and keeps it until it is mended", () => {
  const input = edit("abc");
  fireEvent.keyDown(input, { key: "Enter" });
  const problem = screen.getByRole("alert");
  expect(problem.textContent).toBe("Enter a number.");
  expect(problem.className).not.toContain("visually-hidden");
  expect(input.getAttribute("aria-describedby")).toBe(problem.id);
  expect(input).toHaveProperty("value", "abc");
  fireEvent.change(input, { target: { value: "6" } });
  fireEvent.keyDown(input, { key: "Enter" });
  expect(onDone).toHaveBeenCalledExactlyOnceWith(6, "down");
});

it("CellEditor leaves an invalid value in its cell with the reason when something else gets the focus", () => {
  fireEvent.blur(edit("abc"));
  expect(onInvalid).toHaveBeenCalledExactlyOnceWith("abc", "Enter a number.");
  expect(onDone).not.toHaveBeenCalled();
});

it("CellEditor saves a valid value when something else gets the focus, and nothing after Escape", () => {
  fireEvent.blur(edit("6"));
  expect(onDone).toHaveBeenCalledExactlyOnceWith(6, undefined);
  cleanup();
  const input = edit("abc");
  fireEvent.keyDown(input, { key: "Escape" });
  fireEvent.blur(input);
  expect(onCancel).toHaveBeenCalledOnce();
  expect(onInvalid).not.toHaveBeenCalled();
});
