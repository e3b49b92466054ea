import { User } from "@purse/client";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { OtherAccount } from "./OtherAccount.tsx";

const OWN = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const OTHER = "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc";
const state = vi.hoisted(() => ({ user: undefined as User | undefined, account: "" as string | null }));

vi.mock("@purse/react", () => ({ useMoralis: () => ({ user: state.user, account: state.account }) }));
vi.mock("../pages/signIn/WalletSignIn.tsx", () => ({
  WalletSignIn: ({ keepSession }: { keepSession?: boolean }) => <p>{`keeps the session: ${keepSession}`}</p>,
}));

beforeEach(() => {
  state.user = new User({ objectId: "u1", ethAddress: OWN });
  state.account = OTHER;
});

afterEach(() => {
  cleanup();
  sessionStorage.clear();
});

it("OtherAccount says who is signed in and which account the wallet uses, and offers to sign in with it", async () => {
  render(<OtherAccount />);
  expect(screen.getByRole("status").textContent).toContain("You are signed in as 0xf39f…2266");
  expect(screen.getByRole("status").textContent).toContain("sends from 0x9965…a4dc");
  fireEvent.click(screen.getByRole("button", { name: "Sign in with this account" }));
  expect(await screen.findByText("keeps the session: true")).toBeTruthy();
});

it("OtherAccount is silent about an account that the user keeps, until the wallet uses yet another one", () => {
  const { rerender } = render(<OtherAccount key="1" />);
  fireEvent.click(screen.getByRole("button", { name: "Keep" }));
  expect(screen.queryByRole("status")).toBeNull();
  rerender(<OtherAccount key="2" />);
  expect(screen.queryByRole("status")).toBeNull();
  state.account = `0x${"1".repeat(40)}`;
  rerender(<OtherAccount key="3" />);
  expect(screen.getByRole("button", { name: "Keep" })).toBeTruthy();
});

it("OtherAccount goes on while the wallet is connected again, and ends once another user is signed in", async () => {
  const { rerender } = render(<OtherAccount />);
  fireEvent.click(screen.getByRole("button", { name: "Sign in with this account" }));
  await screen.findByRole("dialog");
  state.account = null;
  rerender(<OtherAccount />);
  expect(screen.getByText("keeps the session: true")).toBeTruthy();
  state.user = new User({ objectId: "u2", ethAddress: OTHER });
  state.account = OTHER;
  rerender(<OtherAccount />);
  expect(screen.queryByText("keeps the session: true")).toBeNull();
  expect(screen.queryByRole("status")).toBeNull();
});
