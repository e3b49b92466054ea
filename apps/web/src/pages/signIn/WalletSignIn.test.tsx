import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { WalletSignIn } from "./WalletSignIn.tsx";

const ACCOUNT = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const RDNS = "org.example.wallet";
const state = vi.hoisted(() => ({
  attempts: 0,
  chainId: null as string | null,
  account: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8" as string | null,
  lockedAtSigning: false,
  connect: vi.fn(),
  disconnect: vi.fn(),
}));

vi.mock("@purse/react", () => ({
  getChain: (id: string) => (id === "0x1" ? { name: "Ethereum" } : undefined),
  useWallets: () => ({ wallets: [{ rdns: "org.example.wallet", name: "Example", icon: "" }] }),
  useMoralis: () => ({
    account: state.account,
    chainId: state.chainId,
    isWeb3Enabled: true,
    isAuthenticating: false,
    deactivateWeb3: state.disconnect,
    async authenticate({ onError }: { onError: (error: Error) => void }) {
      state.attempts += 1;
      if (state.lockedAtSigning) state.account = null;
      onError(Object.assign(new Error("User rejected the request."), { code: 4001 }));
    },
  }),
}));
vi.mock("../../SettingsContext.tsx", () => ({ useSettings: () => ({ chains: [] }) }));
vi.mock("./useWalletConnection.ts", () => ({
  useWalletConnection: () => ({
    choice: undefined,
    isWaiting: false,
    error: undefined,
    cancel: () => undefined,
    connect: state.connect,
  }),
}));
vi.mock("./WalletList.tsx", () => ({ WalletList: () => null }));
vi.mock("./SolanaSignIn.tsx", () => ({ SolanaSignIn: () => null }));
vi.mock("./CodeForm.tsx", () => ({ CodeForm: () => null }));

afterEach(() => {
  cleanup();
  localStorage.clear();
  Object.assign(state, { attempts: 0, chainId: null, account: ACCOUNT, lockedAtSigning: false });
  state.connect.mockReset();
  state.disconnect.mockReset();
});

/** The wallet of the last visit is connected again, is locked, and its window is closed when it should sign. */
async function signInWithLockedWallet() {
  state.lockedAtSigning = true;
  const { rerender } = render(<WalletSignIn />);
  fireEvent.click(screen.getByRole("button", { name: "Sign in with this wallet" }));
  await screen.findByText("Request rejected in wallet");
  rerender(<WalletSignIn />);
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
}

it("WalletSignIn connects the wallet of the last visit again after it was locked", async () => {
  localStorage.setItem("purse/recent-wallet", RDNS);
  await signInWithLockedWallet();
  await expect.poll(() => state.connect.mock.calls.length).toBe(1);
  expect(state.connect.mock.calls[0]?.[0]).toMatchObject({ options: { provider: "injected", rdns: RDNS } });
});

it("WalletSignIn lets the user choose a wallet if that of the last visit is gone", async () => {
  localStorage.setItem("purse/recent-wallet", "org.example.removed");
  await signInWithLockedWallet();
  await expect.poll(() => screen.queryByText("Request rejected in wallet")).toBeNull();
  expect(state.disconnect).toHaveBeenCalledOnce();
});

it("WalletSignIn has one button to sign again after the signature was rejected", async () => {
  render(<WalletSignIn />);
  const button = () => screen.getByRole("button", { name: "Sign in with this wallet" });
  fireEvent.click(button());
  expect(await screen.findByText("Request rejected in wallet")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
  fireEvent.click(button());
  await expect.poll(() => state.attempts).toBe(2);
});

it("WalletSignIn names the chain of a wallet that the server does not index", () => {
  state.chainId = "0x1";
  render(<WalletSignIn />);
  expect(screen.getByText("Your wallet is on Ethereum. You can still sign in.")).toBeTruthy();
});
