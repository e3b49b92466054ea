import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { ErrorState } from "./ErrorState.tsx";

afterEach(cleanup);

const show = (error: unknown) => render(<ErrorState error={error} />).container.textContent;

it.each([
  { code: 4001, message: "User rejected the request." },
  { code: 125, message: "Email address format is invalid." },
  { code: 101, message: "Invalid username/password." },
])("ErrorState shows no code of an error that it explains: %j", (error) => {
  expect(show(error)).not.toMatch(/\d/);
  expect(screen.queryByText("Details")).toBeNull();
});

it("ErrorState folds the code of other errors away, with a button that copies it", () => {
  show({ code: 141, message: "The cloud code failed." });
  const details = screen.getByText("Details").closest("details");
  expect(details?.open).toBe(false);
  expect(details?.textContent).toContain("Error code 141");
  expect(screen.getByRole("button", { name: "Copy error details", hidden: true })).toBeDefined();
});
