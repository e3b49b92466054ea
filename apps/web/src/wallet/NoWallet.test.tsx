import { User } from "@purse/client";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { Welcome } from "../pages/portfolio/Welcome.tsx";
import { ConnectWalletProvider } from "./ConnectWallet.tsx";

const EXAMPLE = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const state = vi.hoisted(() => ({ user: null as User | null }));

vi.mock("@purse/react", () => ({ useMoralis: () => ({ user: state.user }) }));
vi.mock("../SettingsContext.tsx", () => ({
  useSettings: () => ({ development: true, devWallets: [{}, { address: EXAMPLE }] }),
}));
vi.mock("../pages/portfolio/AddressForm.tsx", () => ({ AddressForm: () => null }));
vi.mock("./ConnectDialog.tsx", () => ({
  ConnectDialog: ({ isNew }: { isNew: boolean }) => <p>{isNew ? "creates" : "connects"}</p>,
}));

afterEach(cleanup);

function open(user: Record<string, unknown> | null) {
  state.user = user && new User(user);
  const rootRoute = createRootRoute({
    component: () => (
      <ConnectWalletProvider>
        <Welcome />
      </ConnectWalletProvider>
    ),
  });
  const history = createMemoryHistory();
  render(<RouterProvider router={createRouter({ routeTree: rootRoute, history })} />);
}

it("Welcome tells a new user without a wallet what to do next", async () => {
  open({ username: "ada" });
  expect(await screen.findByRole("heading", { name: "Welcome, ada" })).toBeTruthy();
  expect(screen.getByRole("link", { name: "See an example portfolio" }).getAttribute("href")).toContain(
    EXAMPLE,
  );
  expect(screen.getByRole("link", { name: "Files" })).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Create a wallet" }));
  expect(await screen.findByText("creates")).toBeTruthy();
});

it("Welcome lets visitors connect a wallet, and shows them no pages of users", async () => {
  open(null);
  expect(await screen.findByRole("heading", { name: "No wallet connected" })).toBeTruthy();
  expect(screen.queryByRole("link", { name: "Files" })).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Connect a wallet" }));
  expect(await screen.findByText("connects")).toBeTruthy();
});
