import { describe, expect, it } from "vitest";
import { qrCode } from "./qrCode.ts";

const lines = (text: string) => qrCode(text).map((row) => row.map((isDark) => (isDark ? "#" : ".")).join(""));
/** The rows as numbers, summed up so that each module counts. */
const fingerprint = (text: string) =>
  qrCode(text)
    .flat()
    .reduce((sum, isDark) => (sum * 31 + (isDark ? 7 : 3)) % 1_000_000_007, 1);

describe("a QR code", () => {
  it("is as large as its text needs", () => {
    expect(qrCode("Purse")).toHaveLength(21);
    expect(qrCode("a".repeat(120))).toHaveLength(45);
    expect(qrCode("a".repeat(412))).toHaveLength(77);
    expect(() => qrCode("a".repeat(413))).toThrow(RangeError);
  });

  it("has its finders in three corners", () => {
    const rows = lines("Purse");
    for (const row of [rows[0], rows[6]]) expect(row?.slice(0, 7)).toBe("#######");
    expect(rows[3]?.slice(0, 7)).toBe("#.###.#");
    expect(rows[0]?.slice(-7)).toBe("#######");
    expect(rows.at(-1)?.slice(0, 7)).toBe("#######");
  });

  // Codes that a decoder has read back.
  it.each([
    ["otpauth://totp/Purse:grace?secret=ABCDEFGHIJKLMNOPQRSTUVWXYZ234567&issuer=Purse", 543837615],
    ["a".repeat(300), 590643470],
  ])("is the one that decoders read: %s", (text, known) => {
    expect(fingerprint(text)).toBe(known);
  });
});
