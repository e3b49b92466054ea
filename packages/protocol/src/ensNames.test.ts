import { describe, expect, it } from "vitest";
import { normalEnsName, primaryEnsName } from "./ensNames.ts";

/** A part of ENSIP-15: letters become small, and some characters are refused. */
function normalize(name: string): string {
  if (/ |\u200d|xn--/.test(name)) throw new Error("disallowed");
  return name.toLowerCase();
}

describe("normalEnsName()", () => {
  it.each([
    ["ada.eth", "ada.eth"],
    ["Ada.eth", "ada.eth"],
    ["größe.eth", "größe.eth"],
    ["ada..eth", undefined],
    ["", undefined],
    ["a b.eth", undefined],
    [`[${"0".repeat(64)}].eth`, undefined],
    [`${"ä".repeat(126)}.eth`, undefined],
    ["\ud800.eth", undefined],
  ])("of %j is %j", (name, normal) => {
    expect(normalEnsName(name, normalize)).toBe(normal);
  });

  it("does not normalize plain names", () => {
    expect(normalEnsName("ada.eth", () => expect.fail("was called"))).toBe("ada.eth");
  });
});

describe("primaryEnsName()", () => {
  const address = "0xAb00000000000000000000000000000000000001";
  const addressOf = async () => address.toLowerCase();

  it("returns a normal name that leads back to the address", async () => {
    expect(await primaryEnsName(address, "ada.eth", normalize, addressOf)).toBe("ada.eth");
    expect(await primaryEnsName(address, "größe.eth", normalize, addressOf)).toBe("größe.eth");
  });

  it.each([
    "vitaIik.eth",
    "MetaMask.eth",
    "a\u200db.eth",
    "xn--ls8h.eth",
    "a b.eth",
    "a..eth",
    "",
    null,
    undefined,
  ])("returns no name for the record %j", async (recorded) => {
    const queried: string[] = [];
    const ask = async (name: string) => {
      queried.push(name);
      return address;
    };
    expect(await primaryEnsName(address, recorded, normalize, ask)).toBeUndefined();
    expect(queried).toEqual([]);
  });

  it.each([null, undefined, "0x0000000000000000000000000000000000000002"])(
    "returns no name that leads to %s",
    async (owner) => {
      expect(await primaryEnsName(address, "ada.eth", normalize, async () => owner)).toBeUndefined();
    },
  );
});
