import { describe, expect, it } from "vitest";
import { emptyDraft, joinUnit, matchesType, parseDraft, splitUnit } from "./abiDraft.ts";

const order = {
  type: "tuple[]",
  name: "orders",
  components: [
    { type: "address", name: "to" },
    { type: "uint256[2]", name: "range" },
    { type: "bool", name: "open" },
  ],
};
const TO = `0x${"ab".repeat(20)}`;

describe("the draft of a function's inputs", () => {
  it("starts with the required components", () => {
    expect(emptyDraft(order)).toEqual([]);
    expect(emptyDraft({ ...order, type: "tuple" })).toEqual(["", ["", ""], "false"]);
  });

  it("is parsed to the values for encoding, with nested tuples and arrays", () => {
    expect(parseDraft(order, [[TO, ["1", "0x10"], "true"]])).toEqual([
      { to: TO, range: [1n, 16n], open: true },
    ]);
  });

  it("accepts amounts in ether, gwei and units with decimals", () => {
    const amount = { type: "uint256", name: "amount" };
    expect(parseDraft(amount, "1.5 ether")).toBe(1_500_000_000_000_000_000n);
    expect(parseDraft(amount, "2,5 gwei")).toBe(2_500_000_000n);
    expect(parseDraft(amount, "1.5 e6")).toBe(1_500_000n);
    expect(parseDraft(amount, "0x1e6")).toBe(0x1e6n);
    expect(() => parseDraft(amount, "0.5")).toThrow("whole number");
    expect(() => parseDraft(amount, "1e6")).toThrow("whole number");
  });

  it("accepts the locale's digit grouping, and rejects ambiguous amounts", () => {
    const amount = { type: "uint256", name: "amount" };
    expect(parseDraft(amount, "1,234.5 ether", "amount", { locale: "en" })).toBe(12_345n * 10n ** 17n);
    expect(parseDraft(amount, "1.234,5 ether", "amount", { locale: "de" })).toBe(12_345n * 10n ** 17n);
    expect(parseDraft(amount, "1,000", "amount", { locale: "en" })).toBe(1_000n);
    expect(parseDraft({ type: "int8", name: "n" }, "-5", "n", { locale: "en" })).toBe(-5n);
    expect(() => parseDraft(amount, "1,000 ether", "amount", { locale: "en" })).toThrow("Ambiguous");
    expect(() => parseDraft(amount, "1.000 ether", "amount", { locale: "de" })).toThrow("Ambiguous");
  });

  it("is rejected with the path of the invalid input and a message", () => {
    const errorOf = (draft: unknown) => {
      try {
        return matchesType(order, draft) && parseDraft(order, draft);
      } catch (error) {
        return error;
      }
    };
    expect(errorOf([["0x12", ["1", "2"], "true"]])).toMatchObject({ path: "orders[0].to" });
    expect(errorOf([[TO, ["1", "x"], "true"]])).toMatchObject({ path: "orders[0].range[1]" });
    expect(() => parseDraft({ type: "uint8", name: "n" }, "256")).toThrow("between 0 and 255");
    expect(() => parseDraft({ type: "int8", name: "n" }, "-129")).toThrow("between -128 and 127");
    expect(() => parseDraft({ type: "bytes4", name: "id" }, "0x1234")).toThrow("Expected 4 bytes, got 2");
  });

  it("is accepted from the URL only if it matches the type", () => {
    expect(matchesType(order, [[TO, ["1"], "true"]])).toBe(false);
    expect(matchesType(order, "x")).toBe(false);
    expect(matchesType(order, [[TO, ["1", "2"], "true"]])).toBe(true);
  });

  it("accepts names whose addresses are known, and says which are not", () => {
    const recipient = { type: "address", name: "to" };
    const names = new Map([["ada.eth", TO.toUpperCase().replace("0X", "0x")]]);
    expect(parseDraft(recipient, "ada.eth", "to", { names })).toBe(TO);
    expect(() => parseDraft(recipient, "bob.eth", "to", { names })).toThrow(/has not been resolved/);
  });

  it("keeps the unit of an amount while its number is entered, unless another unit is entered", () => {
    expect(joinUnit("", "e18")).toBe(" e18");
    expect(splitUnit(joinUnit("1.5", "e18"))).toEqual({ number: "1.5", unit: "e18" });
    expect(joinUnit("1.5", "wei")).toBe("1.5");
    expect(joinUnit("1.5 gwei", "e18")).toBe("1.5 gwei");
  });
});
