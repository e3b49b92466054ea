import { ParseObject } from "@purse/client";
import { type DataField, ToastProvider } from "@purse/ui";
import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RecordPanel } from "./RecordPanel.tsx";

const USER_ID = "userOne123";
const state = vi.hoisted(() => ({ stored: undefined as unknown }));

vi.mock("@purse/react", () => ({
  useMoralis: () => ({
    user: { id: "userOne123" },
    Moralis: {
      Query: class {
        get = async () => state.stored;
      },
    },
  }),
}));

const FIELDS: DataField[] = [
  { name: "name", type: "String" },
  { name: "serves", type: "Number" },
];

/** The version of a recipe that was saved at a minute. */
const recipe = (minute: number, values: { name?: string; serves?: number } = {}) =>
  ParseObject.fromJSON(
    {
      className: "Recipe",
      objectId: "recipe1234",
      updatedAt: new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString(),
      name: "Soup",
      serves: 2,
      ACL: { [USER_ID]: { read: true, write: true } },
      ...values,
    },
    true,
  );

const save = vi.fn();
const onSaved = vi.fn();
const onClose = vi.fn();

function panel(record: ParseObject) {
  vi.spyOn(record, "save").mockImplementation(async (values) => {
    save(values);
    return record;
  });
  const given = { className: "Recipe", fields: FIELDS, canAddFields: false, onClose, onSaved };
  return (
    <ToastProvider>
      <RecordPanel {...given} record={record} />
    </ToastProvider>
  );
}

const serves = () => screen.getByLabelText<HTMLInputElement>("serves");
const enter = (value: string) => fireEvent.change(serves(), { target: { value } });
const click = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const differences = async () =>
  within(await screen.findByRole("row", { name: /serves/ }))
    .getAllByRole("cell")
    .map(({ textContent }) => textContent);

beforeEach(() => {
  state.stored = recipe(0);
  save.mockReset();
  onSaved.mockReset();
  onClose.mockReset();
});
afterEach(cleanup);

it("RecordPanel shows changes of others to a record that is not being edited without a conflict", async () => {
  const { rerender } = render(panel(recipe(0)));
  rerender(panel(recipe(1, { serves: 7 })));
  await expect.poll(() => serves().value).toBe("7");
  expect(screen.queryByText("This record was changed by someone else")).toBeNull();
});

it("RecordPanel shows a conflict with changes of others during editing, and can keep theirs", async () => {
  const { rerender } = render(panel(recipe(0)));
  enter("3.5");
  rerender(panel(recipe(1, { serves: 8 })));
  await screen.findByText("This record was changed by someone else");
  expect(await differences()).toEqual(["serves", "8", "3.5"]);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(true);
  click("Keep their version");
  expect(serves().value).toBe("8");
  expect(save).not.toHaveBeenCalled();
});

it("RecordPanel finds a conflict that it has not heard of before it saves, and can overwrite it", async () => {
  render(panel(recipe(0)));
  state.stored = recipe(1, { serves: 8 });
  enter("3.5");
  click("Save");
  expect(await differences()).toEqual(["serves", "8", "3.5"]);
  expect(save).not.toHaveBeenCalled();
  click("Overwrite with mine");
  await expect.poll(() => save.mock.calls).toEqual([[{ serves: 3.5 }]]);
});

it("RecordPanel shows an invalid value next to its field, and saves nothing until it is mended", async () => {
  render(panel(recipe(0)));
  enter("x");
  click("Save");
  await screen.findByText(/^Invalid number:/);
  enter("9");
  click("Save");
  await expect.poll(() => onSaved.mock.calls.length).toBe(1);
  expect(save.mock.calls).toEqual([[{ serves: 9 }]]);
});

it("RecordPanel asks before Escape discards what was entered, and keeps it", async () => {
  render(panel(recipe(0)));
  enter("5");
  const pressEscape = () => fireEvent.keyDown(serves(), { key: "Escape" });
  pressEscape();
  const question = await screen.findByRole("alertdialog", { name: "Discard your changes?" });
  fireEvent.click(within(question).getByRole("button", { name: "Keep editing" }));
  expect(screen.queryByRole("alertdialog")).toBeNull();
  expect(serves().value).toBe("5");
  expect(onClose).not.toHaveBeenCalled();
  pressEscape();
  fireEvent.click(await screen.findByRole("button", { name: "Discard" }));
  await expect.poll(() => onClose.mock.calls.length).toBe(1);
});

it("RecordPanel closes without a question if nothing was entered, or what was entered is saved", async () => {
  render(panel(recipe(0)));
  fireEvent.keyDown(serves(), { key: "Escape" });
  await expect.poll(() => onClose.mock.calls.length).toBe(1);
  enter("9");
  click("Save");
  await expect.poll(() => onClose.mock.calls.length).toBe(2);
  expect(screen.queryByRole("alertdialog")).toBeNull();
});
