import { expect, it } from "vitest";
import { contactByName } from "./contactByName.ts";

const contact = (name: string, id = name) => ({ id, name, address: `0x${id}` });

it("finds the contact with a name, in any case", () => {
  expect(contactByName([contact("Ada"), contact("Bob")], " ada ")?.name).toBe("Ada");
});

it("finds none where several have the name, or none has", () => {
  expect(contactByName([contact("Ada", "1"), contact("ada", "2")], "Ada")).toBeUndefined();
  expect(contactByName([contact("Ada")], "Ad")).toBeUndefined();
  expect(contactByName([contact("")], "")).toBeUndefined();
});
