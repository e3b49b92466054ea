import { expect, it } from "vitest";
import { tokenStandard } from "./tokenStandard.ts";

it.each([
  ["ERC721", "ERC-721"],
  ["ERC1155", "ERC-1155"],
  ["CRYPTOPUNKS", "CRYPTOPUNKS"],
  ["", ""],
])("tokenStandard() writes '%s' as '%s'", (contractType, name) => {
  expect(tokenStandard(contractType)).toBe(name);
});
