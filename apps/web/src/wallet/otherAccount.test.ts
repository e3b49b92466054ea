import { User } from "@purse/client";
import { expect, it } from "vitest";
import { isOtherAccount } from "./otherAccount.ts";

const OWN = `0x${"a".repeat(40)}`;
const SECOND = `0x${"c".repeat(40)}`;
const OTHER = `0x${"b".repeat(40)}`;

it.each<[expected: boolean, name: string, user: Record<string, unknown> | null, account: string | null]>([
  [true, "an account that is not linked", { ethAddress: OWN, accounts: [OWN] }, OTHER],
  [false, "the primary account", { ethAddress: OWN }, OWN.toUpperCase().replace("0X", "0x")],
  [false, "another linked account", { ethAddress: OWN, accounts: [OWN, SECOND] }, SECOND],
  [false, "an account of somebody who signs in without a wallet", { username: "ada" }, OTHER],
  [false, "an account without a user", null, OTHER],
  [false, "no account", { ethAddress: OWN }, null],
])("isOtherAccount() is %s for %s", (expected, _name, fields, account) => {
  expect(isOtherAccount(fields && new User(fields), account)).toBe(expected);
});
