import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ToastProvider, useToast } from "./Toasts.tsx";

vi.mock("./ToastList.tsx", () => {
  throw new Error("no connection");
});

beforeEach(() => {
  vi.spyOn(console, "error").mockReturnValue(undefined);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const undo = vi.fn();

function Page() {
  const toast = useToast();
  return (
    <button type="button" onClick={() => toast("Record deleted", { label: "Undo", run: undo })}>
      Delete
    </button>
  );
}

it("ToastProvider keeps the page and shows messages with their action if the code of toasts fails to load", async () => {
  render(
    <ToastProvider>
      <Page />
    </ToastProvider>,
  );
  const remove = screen.getByRole("button", { name: "Delete" });
  fireEvent.click(remove);
  await screen.findByText("Record deleted");
  fireEvent.click(screen.getByRole("button", { name: "Undo" }));
  expect(undo).toHaveBeenCalledOnce();
  expect(screen.queryByText("Record deleted")).toBeNull();
  fireEvent.click(remove);
  fireEvent.click(await screen.findByRole("button", { name: "Dismiss" }));
  expect(screen.queryByText("Record deleted")).toBeNull();
});
