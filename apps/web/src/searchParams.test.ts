import { expect, it } from "vitest";
import { parseSearch, stringifySearch } from "./searchParams.ts";

it.each(["69", "1.5", "0", "007", "1e3", "99999999999999999999", "[x", "{", '"a"', "true", "null", "a b&c"])(
  "the text %s is the same after it was in a URL",
  (q) => {
    expect(parseSearch(stringifySearch({ q }))).toEqual({ q });
  },
);

it("parseSearch() leaves numbers that others have written into a URL as text", () => {
  expect(parseSearch("?q=69&amount=1.50")).toEqual({ q: "69", amount: "1.50" });
});
