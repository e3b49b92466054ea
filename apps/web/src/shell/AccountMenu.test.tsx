import { User } from "@purse/client";
import { ToastProvider } from "@purse/ui";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { AccountMenu } from "./AccountMenu.tsx";

const OWN = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const OTHER = "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc";
const state = vi.hoisted(() => ({ user: null as User | null, account: null as string | null }));

vi.mock("@purse/react", () => ({
  useMoralis: () => ({ user: state.user, account: state.account, isWeb3Enabled: state.account !== null }),
}));
vi.mock("../query/useServerQuery.ts", () => ({ useServerQuery: () => ({ data: null }) }));
vi.mock("../wallet/ConnectWallet.tsx", () => ({ useConnectWallet: () => () => undefined }));

afterEach(cleanup);

async function open(user: Record<string, unknown> | null, account: string | null) {
  state.user = user && new User(user);
  state.account = account;
  const rootRoute = createRootRoute({ component: AccountMenu });
  const history = createMemoryHistory();
  render(
    <ToastProvider>
      <RouterProvider router={createRouter({ routeTree: rootRoute, history })} />
    </ToastProvider>,
  );
  const button = await screen.findByRole("button", { name: user ? "Account menu" : "Wallet menu" });
  fireEvent.click(button);
  return { button: button.textContent ?? "", menu: within(await screen.findByRole("menu")) };
}

it("AccountMenu shows the signed-in user as well as the account of the wallet, if it is another one", async () => {
  const { button, menu } = await open({ objectId: "u1", ethAddress: OWN, accounts: [OWN] }, OTHER);
  expect(button).toMatch(/0xf39f.*0x9965/i);
  expect(screen.getByTitle("Connected wallet")).toBeTruthy();
  expect(menu.getByText("Signed in as")).toBeTruthy();
  expect(menu.getByText("Wallet connected")).toBeTruthy();
  expect(menu.getByText("Not linked to your account")).toBeTruthy();
});

it("AccountMenu shows an account once if it is that of the user", async () => {
  const { button, menu } = await open({ objectId: "u1", ethAddress: OWN, accounts: [OWN] }, OWN);
  expect(button).toMatch(/0xf39f/i);
  expect(screen.queryByTitle("Connected wallet")).toBeNull();
  expect(menu.queryByText("Not linked to your account")).toBeNull();
});

it("AccountMenu shows a wallet without a user", async () => {
  const { button, menu } = await open(null, OTHER);
  expect(button).toMatch(/0x9965/i);
  expect(menu.getByText("Not signed in")).toBeTruthy();
});
