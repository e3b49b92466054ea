import { expect, it } from "vitest";
import { recipientChoices } from "./RecipientChoices.tsx";

const ADA = { id: "1", name: "Ada", address: "0xAA11" };
const RECENTS = ["0xaa11", "0xbb22"];

it("offers contacts first, then recent recipients that are no contacts", () => {
  expect(recipientChoices([ADA], RECENTS, "")).toEqual([
    { address: "0xAA11", name: "Ada" },
    { address: "0xbb22", name: undefined },
  ]);
});

it("offers those that contain what is typed, in names and addresses", () => {
  expect(recipientChoices([ADA], RECENTS, "ad").map(({ name }) => name)).toEqual(["Ada"]);
  expect(recipientChoices([ADA], RECENTS, "0xBB").map(({ address }) => address)).toEqual(["0xbb22"]);
});

it("offers nothing once an address is complete", () => {
  expect(recipientChoices([ADA], RECENTS, "0xAA11 ")).toEqual([]);
});
