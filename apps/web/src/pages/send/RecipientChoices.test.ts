import { expect, it } from "vitest";
import { recipientChoices } from "./RecipientChoices.tsx";

const ADA = { id: "1", name: "Ada", address: "0xAA11" };
const RECENTS = ["0xaa11", "0xbb22"];

it("recipientChoices() lists contacts first, then recent recipients without a contact", () => {
  expect(recipientChoices([ADA], RECENTS, "")).toEqual([
    { address: "0xAA11", name: "Ada" },
    { address: "0xbb22", name: undefined },
  ]);
});

it("recipientChoices() filters by name and address", () => {
  expect(recipientChoices([ADA], RECENTS, "ad").map(({ name }) => name)).toEqual(["Ada"]);
  expect(recipientChoices([ADA], RECENTS, "0xBB").map(({ address }) => address)).toEqual(["0xbb22"]);
});

it("recipientChoices() names recent recipients, and finds them by their names", () => {
  const found = recipientChoices([ADA], RECENTS, "bob", { "0xbb22": "bob.eth" });
  expect(found).toEqual([{ address: "0xbb22", name: "bob.eth" }]);
});

it("recipientChoices() is empty for a complete address", () => {
  expect(recipientChoices([ADA], RECENTS, "0xAA11 ")).toEqual([]);
});
