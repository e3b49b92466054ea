import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { Code } from "./Code.tsx";

afterEach(cleanup);

it("Code shows its label above a text that wraps, such as a hash", () => {
  render(<Code label="SHA-256" text="9f86d081" wrap />);
  expect(screen.getByText("SHA-256").closest(".visually-hidden")).toBeNull();
  expect(screen.getByRole("region", { name: "SHA-256" }).textContent).toBe("9f86d081");
});
