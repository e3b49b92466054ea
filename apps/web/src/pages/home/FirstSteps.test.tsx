// @vitest-environment happy-dom
import { User } from "@purse/client";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { queryClient } from "../../query/useServerQuery.ts";
import { FirstSteps } from "./FirstSteps.tsx";

const state = vi.hoisted(() => ({
  user: undefined as User | undefined,
  hasSentCoins: true,
  failures: [] as Error[],
}));

vi.mock("@tanstack/react-router", () => ({
  CatchBoundary: ({ children }: { children: ReactNode }) => children,
  Link: ({ to, children }: { to: string; children: ReactNode }) => <a href={to}>{children}</a>,
}));
vi.mock("@purse/react", () => ({
  useMoralis: () => ({
    user: state.user,
    isAuthenticated: state.user !== undefined,
    isWeb3Enabled: false,
    isInitialized: true,
  }),
}));
vi.mock("../../SettingsContext.tsx", () => ({ useSettings: () => ({ development: true }) }));
vi.mock("../../wallet/useAddress.ts", () => ({
  useAddress: () => ({ address: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8", chain: { hexId: "0x539" } }),
}));
vi.mock("./completedSteps.ts", () => ({
  async hasSentCoins() {
    const failure = state.failures.shift();
    if (failure) throw failure;
    return state.hasSentCoins;
  },
  hasRecords: async () => false,
}));

afterEach(() => {
  cleanup();
  queryClient.clear();
  Object.assign(state, { user: undefined, hasSentCoins: true, failures: [] });
});

function signIn() {
  const user = new User();
  user.id = "u1";
  Object.defineProperty(user, "createdAt", { value: new Date("2026-11-20T10:00:00Z") });
  state.user = user;
}

/** The texts of the steps that are marked as done. */
const done = () =>
  [...document.querySelectorAll("[data-done] a")].map(({ textContent }) => textContent).toSorted();

it("FirstSteps marks what the signed-in user has done by the chain index and the database", async () => {
  signIn();
  render(<FirstSteps />);
  await expect
    .poll(done)
    .toEqual(["Send coins to another account", "Sign in with a development account"].toSorted());
});

it("FirstSteps marks nothing for a visitor", async () => {
  render(<FirstSteps />);
  expect(screen.getByText("Send coins to another account")).toBeDefined();
  expect(done()).toEqual([]);
});

it("FirstSteps shows that steps could not be checked, and checks them again", async () => {
  signIn();
  state.failures = [new Error("The server is busy.")];
  render(<FirstSteps />);
  await screen.findByText("Some steps could not be checked");
  expect(done()).toEqual(["Sign in with a development account"]);
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  await expect.poll(() => done().length).toBe(2);
  expect(screen.queryByText("Some steps could not be checked")).toBeNull();
});
