import { beforeAll, describe, expect, it } from "vitest";
import { bundle } from "../support/clientPage.ts";

/** What only wallets and passkeys need, by words that stay in bundles. */
const WALLET = [
  "eth_requestAccounts",
  "personal_sign",
  "eip6963:",
  "wallet_switchEthereumChain",
  "magic-sdk",
  "@walletconnect",
  "@web3auth",
  "scrypt",
  "passkeys/options",
];

describe("an application that signs in with a password only", () => {
  let all: string;

  beforeAll(async () => {
    const { scripts } = await bundle(
      'import { Query, start, User } from "@purse/client"; Object.assign(window, { start, User, Query });',
    );
    all = [...scripts.values()].join("\n");
  }, 60_000);

  it("is there whole", () => {
    expect(all).toContain("_SessionToken");
  });

  it.each(WALLET)("has nothing of wallets and passkeys in its bundle: %s", (word) => {
    expect(all).not.toContain(word);
  });
});

describe("an application that reads objects", () => {
  it("loads the classes of files, places and areas with the first answer that tells of one", async () => {
    const { scripts } = await bundle(
      'import { Query, start } from "@purse/client"; Object.assign(window, { start, Query });',
    );
    const words = ["Cannot create a Parse.File", "GeoPoint latitude", "Polygon must have"];
    const entry = scripts.get("entry.js") ?? "";
    expect(words.filter((word) => entry.includes(word))).toEqual([]);
    const later = [...scripts.values()].join("\n");
    expect(words.filter((word) => later.includes(word))).toEqual(words);
  }, 60_000);
});

describe("an application with the browser's own wallet", () => {
  it("loads the other connectors only when they are wanted", async () => {
    const { scripts } = await bundle(
      'import { authenticate, start } from "@purse/client"; Object.assign(window, { start, authenticate });',
    );
    const entry = scripts.get("entry.js") ?? "";
    expect(entry).toContain("eth_requestAccounts");
    for (const word of ["MagicLink, please", "WalletConnect, error", "Web3Auth, error", "scrypt"])
      expect(entry).not.toContain(word);
    expect([...scripts.values()].join("\n")).toContain("MagicLink, please");
  }, 60_000);
});
