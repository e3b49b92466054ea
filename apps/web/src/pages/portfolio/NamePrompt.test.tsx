import { User } from "@purse/client";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { NamePrompt } from "./NamePrompt.tsx";

const state = vi.hoisted(() => ({
  user: undefined as unknown,
  saved: [] as unknown[],
  failure: undefined as Error | undefined,
}));

vi.mock("@purse/react", () => ({
  useMoralis: () => ({
    user: state.user,
    isUserUpdating: false,
    userError: new Error("Another update failed."),
    setUserData: async (data: unknown, { onError }: { onError: (error: Error) => void }) => {
      if (state.failure) onError(state.failure);
      else state.saved.push(data);
      return undefined;
    },
  }),
}));

afterEach(() => {
  cleanup();
  localStorage.clear();
  state.failure = undefined;
});

/** Renders the prompt for a user. */
function open(fields: Record<string, string>) {
  const user = new User();
  for (const [name, value] of Object.entries(fields)) user.set(name, value);
  state.user = user;
  render(<NamePrompt />);
  return screen.queryByLabelText(/^What should we call you/);
}

it("NamePrompt asks users whose username the server has chosen, until they decline", async () => {
  const input = open({ username: "WsNAWtdkgItzn1o44NsvGycFW" });
  if (!input) throw new Error("it does not ask");
  fireEvent.change(input, { target: { value: " Ada " } });
  fireEvent.click(screen.getByRole("button", { name: "Set name" }));
  await expect.poll(() => state.saved).toEqual([{ displayName: "Ada" }]);
  fireEvent.click(screen.getByRole("button", { name: "Not now" }));
  expect(screen.queryByRole("button", { name: "Set name" })).toBeNull();
  cleanup();
  expect(open({ username: "WsNAWtdkgItzn1o44NsvGycFW" })).toBeNull();
});

it("NamePrompt shows why the name was not saved, but no errors of other updates", async () => {
  const input = open({ username: "WsNAWtdkgItzn1o44NsvGycFW" });
  if (!input) throw new Error("it does not ask");
  expect(screen.queryByRole("alert")).toBeNull();
  state.failure = new Error("The name is taken.");
  fireEvent.change(input, { target: { value: "Ada" } });
  fireEvent.click(screen.getByRole("button", { name: "Set name" }));
  expect(await screen.findByRole("alert")).toBeTruthy();
});

it.each<Record<string, string>>([
  { username: "ada" },
  { username: "WsNAWtdkgItzn1o44NsvGycFW", displayName: "Ada" },
])("NamePrompt does not ask the user %j", (fields) => {
  expect(open(fields)).toBeNull();
});
