import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { lazy, useState } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ToastProvider } from "../components/Toasts.tsx";
import { LazyDialog, LazyExtra, LazySection } from "./lazyParts.tsx";

const Details = lazy(async () => ({ default: () => <p>Details</p> }));
const Missing = lazy((): Promise<{ default: () => null }> => Promise.reject(new Error("not found")));

beforeEach(() => {
  // React reports errors that a boundary catches.
  vi.spyOn(console, "error").mockReturnValue(undefined);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it("LazySection is busy until the code of its children has loaded, and then shows them", async () => {
  const { container } = render(
    <LazySection>
      <Details />
    </LazySection>,
  );
  expect(container.querySelector("[aria-busy=true]")).not.toBeNull();
  await screen.findByText("Details");
  expect(container.querySelector("[aria-busy=true]")).toBeNull();
});

it("LazySection keeps the rest of the page if its code fails to load", async () => {
  render(
    <>
      <p>Balances</p>
      <LazySection>
        <Missing />
      </LazySection>
    </>,
  );
  await screen.findByRole("alert");
  expect(screen.getByText("Balances")).toBeDefined();
  expect(screen.getByRole("button", { name: "Try again" })).toBeDefined();
});

it("LazyExtra shows its fallback if its code fails to load", async () => {
  render(
    <LazyExtra fallback={<p>Account</p>}>
      <Missing />
    </LazyExtra>,
  );
  await expect.poll(() => vi.mocked(console.error).mock.calls.length).toBeGreaterThan(0);
  expect(screen.getByText("Account")).toBeDefined();
});

it("LazyDialog keeps the page if its code fails to load, says so and counts as closed", async () => {
  function Page() {
    const [isOpen, setIsOpen] = useState(false);
    return (
      <ToastProvider>
        <button type="button" onClick={() => setIsOpen(true)}>
          {isOpen ? "Opening" : "Open"}
        </button>
        {isOpen && (
          <LazyDialog onClose={() => setIsOpen(false)}>
            <Missing />
          </LazyDialog>
        )}
      </ToastProvider>
    );
  }
  render(<Page />);
  fireEvent.click(screen.getByRole("button", { name: "Open" }));
  await screen.findByText("Something went wrong. not found");
  expect(screen.getByRole("button", { name: "Open" })).toBeDefined();
});
