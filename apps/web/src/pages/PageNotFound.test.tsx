import { cleanup, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { PageNotFound } from "./PageNotFound.tsx";

vi.mock("@tanstack/react-router", () => ({
  Link: ({ to, children }: { to: string; children: ReactNode }) => <a href={to}>{children}</a>,
}));
afterEach(cleanup);

it("PageNotFound has the same title in the page and in the tab", () => {
  render(<PageNotFound />);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Page not found");
  expect(document.title).toBe("Page not found · Purse");
});
