import { parseAbi } from "viem";
import { describe, expect, it } from "vitest";
import { signatureOf } from "./abi.ts";
import { detectAbi, mergeAbis, selectorsIn } from "./detectAbi.ts";

const signatures = (abi: ReturnType<typeof detectAbi>) =>
  (abi ?? []).flatMap((item) => (item.type === "function" ? [signatureOf(item)] : []));

describe("the functions in a contract's bytecode", () => {
  it("are found by their selectors, but not in pushed data", () => {
    // PUSH4 owner(), PUSH4 0xdeadbeef, and totalSupply()'s selector inside of a PUSH32.
    const code = `0x638da5cb5b63deadbeef7f6318160ddd${"00".repeat(27)}`;
    expect([...selectorsIn(code)]).toEqual(["0x8da5cb5b", "0xdeadbeef"]);
    expect(signatures(detectAbi(code))).toEqual(["owner()"]);
  });

  it.each(["0x", "", "no code", "0x63", "0x7f00"])("are undefined for %j", (code) => {
    expect(detectAbi(code)).toBeUndefined();
  });
});

it("mergeAbis() adds functions of the second ABI that the first one does not have", () => {
  const abi = parseAbi(["function owner() view returns (address who)"]);
  const more = parseAbi(["function owner() view returns (address)", "function pause()"]);
  expect(signatures(mergeAbis(abi, more))).toEqual(["owner()", "pause()"]);
  expect(mergeAbis(abi, more)[0]).toBe(abi[0]);
});
