// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import { lazy } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { LazySection } from "./LazySection.tsx";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it("LazySection shows its children once their code has loaded", async () => {
  const Details = lazy(async () => ({ default: () => <p>Details</p> }));
  render(
    <LazySection>
      <Details />
    </LazySection>,
  );
  await screen.findByText("Details");
});

it("LazySection keeps the rest of the page if its code fails to load", async () => {
  vi.spyOn(console, "error").mockReturnValue(undefined);
  const Details = lazy((): Promise<{ default: () => null }> => Promise.reject(new Error("not found")));
  render(
    <>
      <p>Balances</p>
      <LazySection>
        <Details />
      </LazySection>
    </>,
  );
  await screen.findByRole("alert");
  expect(screen.getByText("Balances")).toBeDefined();
  expect(screen.getByRole("button", { name: "Try again" })).toBeDefined();
});
