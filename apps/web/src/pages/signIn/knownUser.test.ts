import { User } from "@purse/client";
import { expect, it } from "vitest";
import { knownUserOf } from "./knownUser.ts";

it("the wallets of a user are those of all chains, in lower case where the case has no meaning", () => {
  const user = new User({
    username: "ada",
    ethAddress: "0xAb",
    accounts: ["0xab", "0xCD"],
    authData: { moralisSol: { id: "SoLAdDreSs", signature: "AQ" } },
  });
  user.id = "u1";
  expect(knownUserOf(user)).toEqual({
    id: "u1",
    username: "ada",
    accounts: ["0xab", "0xab", "0xcd"],
    solanaAccount: "SoLAdDreSs",
  });
});

it("a user without wallets has none", () => {
  const user = new User({ username: "bob", authData: { mfa: { status: "enabled" } } });
  expect(knownUserOf(user)).toMatchObject({ accounts: [], solanaAccount: undefined });
});
