import { expect, it } from "vitest";
import { contactByName } from "./contactByName.ts";

const contact = (name: string, id = name) => ({ id, name, address: `0x${id}` });

it("contactByName() finds a contact by name, ignoring case", () => {
  expect(contactByName([contact("Ada"), contact("Bob")], " ada ")?.name).toBe("Ada");
});

it("contactByName() returns undefined if none or several contacts have the name", () => {
  expect(contactByName([contact("Ada", "1"), contact("ada", "2")], "Ada")).toBeUndefined();
  expect(contactByName([contact("Ada")], "Ad")).toBeUndefined();
  expect(contactByName([contact("")], "")).toBeUndefined();
});
