import { beforeAll, describe, expect, it } from "vitest";
import { bundle } from "../support/clientPage.ts";

/** Strings that survive minification and that only the code for wallets and passkeys has. */
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

describe("the bundle of an application that signs in with a password only", () => {
  let all: string;

  beforeAll(async () => {
    const { scripts } = await bundle(
      'import { Query, start, User } from "@purse/client"; Object.assign(window, { start, User, Query });',
    );
    all = [...scripts.values()].join("\n");
  });

  it("contains the client", () => {
    expect(all).toContain("_SessionToken");
  });

  it.each(WALLET)("contains no code for wallets and passkeys: %s", (word) => {
    expect(all).not.toContain(word);
  });
});

describe("the bundle of an application that reads objects", () => {
  it("loads ParseFile, GeoPoint and Polygon with the first response that contains one", async () => {
    const { scripts } = await bundle(
      'import { Query, start } from "@purse/client"; Object.assign(window, { start, Query });',
    );
    const words = ["Cannot create a Parse.File", "GeoPoint latitude", "Polygon must have"];
    const entry = scripts.get("entry.js") ?? "";
    expect(words.filter((word) => entry.includes(word))).toEqual([]);
    const later = [...scripts.values()].join("\n");
    expect(words.filter((word) => later.includes(word))).toEqual(words);
  });
});

describe("the bundle of an application that uses the injected wallet", () => {
  it("loads the other connectors on demand", async () => {
    const { scripts } = await bundle(
      'import { authenticate, start } from "@purse/client"; Object.assign(window, { start, authenticate });',
    );
    const entry = scripts.get("entry.js") ?? "";
    expect(entry).toContain("eth_requestAccounts");
    for (const word of ["MagicLink, please", "WalletConnect, error", "Web3Auth, error", "scrypt"])
      expect(entry).not.toContain(word);
    expect([...scripts.values()].join("\n")).toContain("MagicLink, please");
  });
});
