import { User } from "@purse/client";
import { ToastProvider } from "@purse/ui";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { queryClient } from "../../query/useServerQuery.ts";
import { Password } from "./Password.tsx";

const state = vi.hoisted(() => ({
  hasPassword: false,
  provider: "password",
  failures: [] as Error[],
  saved: [] as unknown[],
}));

vi.mock("@purse/react", () => ({
  useMoralis: () => ({
    user: undefined,
    Moralis: {
      User: { verifyPassword: async () => undefined },
      async _request(method: string, path: string) {
        expect([method, path]).toEqual(["GET", "users/me/signInMethods"]);
        const failure = state.failures.shift();
        if (failure) throw failure;
        return { hasPassword: state.hasPassword };
      },
    },
    async setUserData(data: unknown) {
      state.saved.push(data);
      state.hasPassword = true;
    },
  }),
}));
vi.mock("../../SettingsContext.tsx", () => ({
  useSettings: () => ({
    passwordEndsSessions: true,
    passwordRules: { description: null, excludesUsername: true, history: 0 },
  }),
}));
vi.mock("./useOwnSessions.ts", () => ({
  useOwnSessions: () => ({
    query: {
      data: [{ id: "s1", isCurrent: true, createdWith: { authProvider: state.provider } }],
      error: null,
      isFetching: false,
      dataUpdatedAt: 0,
      refetch: () => undefined,
    },
  }),
}));

afterEach(() => {
  cleanup();
  queryClient.clear();
  Object.assign(state, { hasPassword: false, provider: "password", failures: [], saved: [] });
});

const show = () =>
  render(
    <ToastProvider>
      <Password user={new User()} />
    </ToastProvider>,
  );

it("Password asks for no current password if none is set, and for it once one is", async () => {
  state.provider = "moralisEth";
  show();
  await screen.findByText("You have no password yet.");
  expect(screen.getByText("It must not contain your username.")).toBeDefined();
  expect(screen.queryByLabelText("Current password")).toBeNull();
  fireEvent.change(screen.getByLabelText("New password"), { target: { value: "a first password" } });
  fireEvent.click(screen.getByRole("button", { name: "Set password" }));
  await screen.findByLabelText("Current password");
  expect(screen.getByText("Optional here: you signed in without it.")).toBeDefined();
  expect(state.saved).toEqual([{ password: "a first password" }]);
});

it("Password demands the current password in a session that began with it", async () => {
  state.hasPassword = true;
  show();
  await screen.findByLabelText("Current password");
  fireEvent.change(screen.getByLabelText("New password"), { target: { value: "another password" } });
  fireEvent.click(screen.getByRole("button", { name: "Save password" }));
  await screen.findByText("Enter your current password.");
  expect(state.saved).toEqual([]);
});

it("Password shows a failed read with a retry instead of a form that guesses", async () => {
  state.failures = [new Error("The server is busy.")];
  state.hasPassword = true;
  show();
  const retry = await screen.findByRole("button", { name: "Try again" });
  expect(screen.queryByLabelText("New password")).toBeNull();
  fireEvent.click(retry);
  await screen.findByLabelText("Current password");
});
