import { expect, it } from "vitest";
import { decodeText } from "./decodeText.ts";

const TEXT = "name;größe\r\nTée;1,5 €\r\n";
const utf16 = (text: string, isBigEndian: boolean) =>
  Uint8Array.from(
    [...text].flatMap((letter) => {
      const code = letter.charCodeAt(0);
      return isBigEndian ? [code >> 8, code & 255] : [code & 255, code >> 8];
    }),
  );
const latin = Uint8Array.from([...TEXT].map((letter) => (letter === "€" ? 0x80 : letter.charCodeAt(0))));
const utf8 = new TextEncoder().encode(TEXT);

it.each([
  ["UTF-8", utf8, "utf-8"],
  ["UTF-8 with a byte order mark", new TextEncoder().encode(`\uFEFF${TEXT}`), "utf-8"],
  ["UTF-16", utf16(`\uFEFF${TEXT}`, false), "utf-16le"],
  ["UTF-16 with the other byte order", utf16(`\uFEFF${TEXT}`, true), "utf-16be"],
  ["UTF-16 without a byte order mark", utf16(TEXT, false), "utf-16le"],
  ["UTF-16 with the other byte order and no mark", utf16(TEXT, true), "utf-16be"],
  ["Latin-1 of Windows", latin, "windows-1252"],
  ["nothing", new Uint8Array(), "utf-8"],
])("decodeText() detects %s", (_name, bytes, encoding) => {
  expect(decodeText(bytes)).toEqual({ text: bytes.length > 0 ? TEXT : "", encoding });
});

it("decodeText() decodes with the given encoding", () => {
  expect(decodeText(Uint8Array.from([0xcf, 0xf0]), "windows-1251").text).toBe("Пр");
  expect(decodeText(Uint8Array.from([0x82, 0xa0]), "shift_jis").text).toBe("あ");
});
