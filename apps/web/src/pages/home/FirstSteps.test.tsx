import { ParseError, User } from "@purse/client";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { queryClient } from "../../query/useServerQuery.ts";
import { FirstSteps } from "./FirstSteps.tsx";

const state = vi.hoisted(() => ({
  user: undefined as User | undefined,
  hasSentCoins: true,
  failures: [] as Error[],
  recordsFailure: undefined as Error | undefined,
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
  async hasRecords() {
    if (state.recordsFailure) throw state.recordsFailure;
    return false;
  },
}));

afterEach(() => {
  cleanup();
  queryClient.clear();
  Object.assign(state, { user: undefined, hasSentCoins: true, failures: [], recordsFailure: undefined });
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

it("FirstSteps says where a class without read permission is opened, instead of offering to try again", async () => {
  signIn();
  state.recordsFailure = new ParseError(119, "Permission denied for action find on class Note.");
  render(<FirstSteps />);
  await screen.findByText("You don't have permission to read Note");
  const link = screen.getByRole("link", { name: "Change permissions in the studio" });
  expect(link.getAttribute("href")).toBe("/studio/permissions?class=Note");
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
  // What is known of the other steps is still shown.
  await expect.poll(() => done().length).toBe(2);
});

it("FirstSteps offers to check the other steps again beside a class without read permission", async () => {
  signIn();
  state.failures = [new Error("The server is busy.")];
  state.recordsFailure = new ParseError(119, "Permission denied for action find on class Note.");
  render(<FirstSteps />);
  await screen.findByText("You don't have permission to read Note");
  fireEvent.click(await screen.findByRole("button", { name: "Try again" }));
  await expect.poll(() => done().length).toBe(2);
});
