import { getAddress } from "viem/utils";
import { describe, expect, it } from "vitest";
import { checksumOf } from "./checksum.ts";

describe("checksumOf", () => {
  it.each([
    "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
    "0x0000000000000000000000000000000000000000",
    "0xffffffffffffffffffffffffffffffffffffffff",
    "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
  ] as const)("adds the checksum of EIP-55 to %s", (address) => {
    expect(checksumOf(address)).toBe(getAddress(address));
    expect(checksumOf(` ${address.toUpperCase().replace("X", "x")} `)).toBe(getAddress(address));
  });

  it.each(["", "0x12", "vitalik.eth", `0x${"g".repeat(40)}`])("returns %s unchanged", (text) => {
    expect(checksumOf(text)).toBe(text);
  });
});
