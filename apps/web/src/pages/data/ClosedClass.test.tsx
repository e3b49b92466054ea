import { cleanup, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { ClosedClass } from "./ClosedClass.tsx";

const state = vi.hoisted(() => ({ user: null as object | null }));
vi.mock("@purse/react", () => ({ useMoralis: () => state }));
vi.mock("@tanstack/react-router", () => ({
  Link: ({ to, search, children }: { to: string; search: { next: string }; children: ReactNode }) => (
    <a href={`${to}?next=${search.next}`}>{children}</a>
  ),
}));
afterEach(cleanup);

const hrefs = () => screen.getAllByRole("link").map((link) => link.getAttribute("href"));

it("ClosedClass offers visitors to sign in, or to change the permissions", () => {
  state.user = null;
  render(<ClosedClass className="Invoice" />);
  expect(screen.getByRole("heading").textContent).toBe("You don't have permission to read Invoice");
  expect(hrefs()).toEqual(["/sign-in?next=/data?class=Invoice", "/studio/permissions?class=Invoice"]);
});

it("ClosedClass tells signed-in users who can change the permissions, and does not offer to sign in", () => {
  state.user = {};
  render(<ClosedClass className="Invoice" />);
  screen.getByText(/ask an operator to change the permissions/);
  expect(hrefs()).toEqual(["/studio/permissions?class=Invoice"]);
});
