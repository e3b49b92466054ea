import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { ConfirmDialog, type ConfirmDialogProps } from "./ConfirmDialog.tsx";

afterEach(cleanup);

function renderDialog(props: Partial<ConfirmDialogProps> = {}): string[] {
  const calls: string[] = [];
  render(
    <ConfirmDialog
      open
      title="Delete menu.txt?"
      confirmLabel="Delete"
      onClose={() => calls.push("close")}
      onConfirm={() => calls.push("confirm")}
      {...props}
    />,
  );
  return calls;
}

it("ConfirmDialog confirms by its button, and closes by Cancel without confirming", () => {
  const calls = renderDialog();
  fireEvent.click(screen.getByRole("button", { name: "Delete" }));
  fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect(calls).toEqual(["confirm", "close"]);
});

it("ConfirmDialog cannot be confirmed while it is busy or disabled", () => {
  renderDialog({ busy: true });
  expect(screen.getByRole("button", { name: "Delete" })).toHaveProperty("disabled", true);
  cleanup();
  renderDialog({ disabled: true });
  expect(screen.getByRole("button", { name: "Delete" })).toHaveProperty("disabled", true);
});

it("ConfirmDialog shows the error of the last attempt and keeps its inputs", () => {
  renderDialog({ error: new Error("refused"), children: <input aria-label="Name" defaultValue="menu" /> });
  expect(screen.getByRole("alert").textContent).toContain("refused");
  expect(screen.getByRole("textbox", { name: "Name" })).toHaveProperty("value", "menu");
});

it("ConfirmDialog with a confirmation text can be confirmed only once that was typed", () => {
  const calls = renderDialog({ confirmationText: "menu" });
  const confirm = screen.getByRole("button", { name: "Delete" });
  fireEvent.change(screen.getByLabelText("Type menu to confirm"), { target: { value: "men" } });
  expect(confirm).toHaveProperty("disabled", true);
  fireEvent.change(screen.getByLabelText("Type menu to confirm"), { target: { value: "menu" } });
  fireEvent.click(confirm);
  expect(calls).toEqual(["confirm"]);
});

it("ConfirmDialog does not submit the form that it was opened in", () => {
  const calls: string[] = [];
  render(
    <form onSubmit={() => calls.push("form")}>
      <ConfirmDialog
        open
        title="Pick"
        confirmLabel="Apply"
        onClose={() => undefined}
        onConfirm={() => calls.push("dialog")}
      />
    </form>,
  );
  fireEvent.click(screen.getByRole("button", { name: "Apply" }));
  expect(calls).toEqual(["dialog"]);
});
