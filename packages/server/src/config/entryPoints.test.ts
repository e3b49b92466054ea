import { describe, expect, it } from "vitest";
import { parseEntryPoints } from "./entryPoints.ts";

const address = `0x${"Ab".repeat(20)}`;

describe("parseEntryPoints()", () => {
  it("returns the configured contracts, or undefined", () => {
    expect(parseEntryPoints("mine", undefined)).toBeUndefined();
    expect(parseEntryPoints("mine", [{ version: "0.8", address }])).toEqual([
      { version: "0.8", address: address.toLowerCase() },
    ]);
  });

  it.each([
    [[{ version: "0.5", address }], /chains\.mine\.entryPoints\[0\]\.version/],
    [[{ version: "0.7", address: "0x1" }], /entryPoints\[0\]\.address.*it must be an address/],
    [address, /entryPoints" of the config file: .*array/],
  ])("rejects %j", (given, message) => {
    expect(() => parseEntryPoints("mine", given)).toThrow(message);
  });
});
