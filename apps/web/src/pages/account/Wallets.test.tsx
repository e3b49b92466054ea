import { User } from "@purse/client";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { Wallets } from "./Wallets.tsx";

vi.mock("@purse/react", () => ({ useMoralis: () => ({ setUserData: async () => undefined }) }));
vi.mock("./LinkWallet.tsx", () => ({ LinkWallet: () => null }));

afterEach(cleanup);

it.each([
  [[], "Link a wallet"],
  [["0x70997970c51812dc3a010c7d01b50e0d17dc79c8"], "Link another wallet"],
])("Wallets of the accounts %j offers to %s", (accounts, label) => {
  const user = new User();
  user.set("accounts", accounts);
  render(<Wallets user={user} />);
  expect(screen.getByRole("button", { name: /^Link a/ }).textContent).toBe(label);
});
