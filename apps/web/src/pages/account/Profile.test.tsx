import { User } from "@purse/client";
import { ToastProvider } from "@purse/ui";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { Profile } from "./Profile.tsx";

const state = vi.hoisted(() => ({ isUserUpdating: false, userError: null as Error | null }));
vi.mock("@purse/react", () => ({ useMoralis: () => ({ ...state, setUserData: async () => undefined }) }));
vi.mock("../data/useClientDataSource.ts", () => ({ useClientDataSource: () => ({}) }));
vi.mock("./ProfilePicture.tsx", () => ({ ProfilePicture: () => null }));

afterEach(() => {
  cleanup();
  Object.assign(state, { isUserUpdating: false, userError: null });
});

function open() {
  const user = new User();
  const receive = (fields: Record<string, string>) => user._finishFetch(fields);
  receive({ objectId: "ada0000001", username: "ada", displayName: "Zoe", city: "Rome" });
  const page = () => (
    <ToastProvider>
      <Profile user={user} />
    </ToastProvider>
  );
  const { rerender } = render(page());
  const refresh = () => rerender(page());
  return { user, receive, refresh };
}

const inputValue = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;
const enter = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });

it("Profile shows what another device has saved, except where something was entered", async () => {
  const { receive, refresh } = open();
  enter("Username", "ada2");
  receive({ username: "other", displayName: "Name from device 1", city: "Oslo" });
  refresh();
  await expect.poll(() => inputValue("Display name")).toBe("Name from device 1");
  expect(inputValue("city")).toBe("Oslo");
  expect(inputValue("Username")).toBe("ada2");
});

it("Profile keeps what was entered after it could not be saved", async () => {
  const { user, refresh } = open();
  enter("Display name", "Ada");
  user.set("displayName", "Ada");
  state.isUserUpdating = true;
  refresh();
  user.revert();
  Object.assign(state, { isUserUpdating: false, userError: new Error("The server refused it.") });
  refresh();
  await screen.findByText(/The server refused it/);
  expect(inputValue("Display name")).toBe("Ada");
});
