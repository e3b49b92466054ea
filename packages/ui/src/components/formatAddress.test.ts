import { expect, it } from "vitest";
import { addressGroups, shortAddress } from "./formatAddress.ts";

const ADDRESS = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

it("addressGroups() splits an address into groups of four", () => {
  expect(
    addressGroups(ADDRESS)
      .map(({ text }) => text)
      .join(" "),
  ).toBe("0xf39F d6e5 1aad 88F6 F4ce 6aB8 8272 79cf fFb9 2266");
});

it("shortAddress() shortens an address for compact layouts", () => {
  expect(shortAddress(ADDRESS)).toBe("0xf39F…2266");
});
