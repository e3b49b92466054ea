import { User } from "@purse/client";
import { ToastProvider } from "@purse/ui";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { rememberWallet } from "../signIn/recentWallet.ts";
import { LinkWallet } from "./LinkWallet.tsx";

const FIRST = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const SECOND = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";

interface Callbacks {
  onError?: (error: Error) => void;
  throwOnError?: boolean;
}

const state = vi.hoisted(() => ({
  user: undefined as User | undefined,
  failures: [] as Error[],
  connect: () => {},
  account: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc" as string | null,
}));

vi.mock("@purse/react", () => ({
  useWallets: () => ({
    wallets: ["org.example.first", "org.example.second"].map((rdns) => ({ rdns, name: rdns, icon: "" })),
  }),
  useMoralis: () => ({
    user: state.user,
    async enableWeb3({ rdns }: { rdns: string }) {
      state.account = rdns === "org.example.first" ? "0x70997970c51812dc3a010c7d01b50e0d17dc79c8" : null;
    },
    Moralis: {
      get account() {
        return state.account;
      },
      link: async (address: string) => state.user?.set("ethAddress", address),
    },
    refetchUserData: async () => state.user,
    async setUserData({ ethAddress }: { ethAddress: string }, { onError, throwOnError }: Callbacks) {
      const failure = state.failures.shift();
      if (!failure) return state.user?.set("ethAddress", ethAddress);
      onError?.(failure);
      if (throwOnError) throw failure;
      return undefined;
    },
  }),
}));
vi.mock("../signIn/useWalletConnection.ts", () => ({
  useWalletConnection(onConnected: () => void) {
    state.connect = onConnected;
    return { choice: undefined, isWaiting: false, error: undefined, cancel: () => undefined };
  },
}));
vi.mock("../signIn/ChooseWallet.tsx", () => ({
  ChooseWallet: () => (
    <button type="button" onClick={() => state.connect()}>
      Connect
    </button>
  ),
}));

afterEach(() => {
  cleanup();
  localStorage.clear();
  state.failures = [];
  state.account = SECOND;
});

/** Links the second wallet of a user. */
async function linkSecond(onClose: () => void) {
  state.user = new User();
  state.user.set("ethAddress", FIRST);
  render(
    <ToastProvider>
      <LinkWallet onClose={onClose} />
    </ToastProvider>,
  );
  fireEvent.click(await screen.findByRole("button", { name: "Connect" }));
}

it("LinkWallet keeps the primary wallet until the user wants the new one", async () => {
  const onClose = vi.fn();
  await linkSecond(onClose);
  const makePrimary = await screen.findByRole("button", { name: "Make primary" });
  expect(state.user?.get("ethAddress")).toBe(FIRST);
  fireEvent.click(makePrimary);
  await expect.poll(() => onClose.mock.calls.length).toBe(1);
  expect(state.user?.get("ethAddress")).toBe(SECOND);
});

it("LinkWallet restores the primary wallet in a second attempt", async () => {
  state.failures = [new Error("The server is busy.")];
  const onClose = vi.fn();
  await linkSecond(onClose);
  fireEvent.click(await screen.findByRole("button", { name: "Try again" }));
  await screen.findByRole("dialog", { name: "Make it your primary wallet?" });
  expect(state.user?.get("ethAddress")).toBe(FIRST);
  expect(onClose).not.toHaveBeenCalled();
});

/** Links the second wallet while the first one is connected; the second one is the same wallet if it has the same name. */
async function linkBesideConnected(second: string) {
  state.account = FIRST;
  rememberWallet("org.example.first");
  state.user = new User();
  state.user.set("ethAddress", FIRST);
  render(
    <ToastProvider>
      <LinkWallet onClose={() => undefined} />
    </ToastProvider>,
  );
  state.account = SECOND;
  rememberWallet(second);
  fireEvent.click(await screen.findByRole("button", { name: "Connect" }));
  await screen.findByRole("button", { name: "Make primary" });
}

it("LinkWallet leaves the wallet connected that was connected before", async () => {
  await linkBesideConnected("org.example.second");
  expect(screen.getByText("Your previous wallet stays connected.")).toBeTruthy();
  expect(state.account).toBe(FIRST);
});

it("LinkWallet says that another account of the same wallet is connected now", async () => {
  await linkBesideConnected("org.example.first");
  expect(screen.getByText(/^The new wallet is connected now/)).toBeTruthy();
  expect(state.account).toBe(SECOND);
});
