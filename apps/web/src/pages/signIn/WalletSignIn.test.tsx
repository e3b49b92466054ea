// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { WalletSignIn } from "./WalletSignIn.tsx";

const ACCOUNT = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const state = vi.hoisted(() => ({ attempts: 0, chainId: null as string | null }));

vi.mock("@purse/react", () => ({
  getChain: (id: string) => (id === "0x1" ? { name: "Ethereum" } : undefined),
  useMoralis: () => ({
    account: ACCOUNT,
    chainId: state.chainId,
    isWeb3Enabled: true,
    isAuthenticating: false,
    deactivateWeb3: async () => undefined,
    async authenticate({ onError }: { onError: (error: Error) => void }) {
      state.attempts += 1;
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
  }),
}));
vi.mock("./WalletList.tsx", () => ({ WalletList: () => null }));
vi.mock("./SolanaSignIn.tsx", () => ({ SolanaSignIn: () => null }));
vi.mock("./CodeForm.tsx", () => ({ CodeForm: () => null }));

afterEach(cleanup);

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
