import { describe, expect, it } from "vitest";
import {
  assertFileName,
  isValidStoredName,
  newStoredName,
  segmentFromDisk,
  segmentOnDisk,
} from "./fileNames.ts";

const NAMES = [
  ...[
    "a.txt",
    "報告書.pdf",
    "größe.txt",
    "gro\u0308ße.txt",
    "отчёт.docx",
    "تقرير.pdf",
    "रिपोर्ट.pdf",
    "👩‍🚀 photo.png",
  ],
  ...[
    "Foto (1).jpg",
    "it's.txt",
    "a+b.txt",
    "50%.txt",
    "100%41.txt",
    "a&b=c.txt",
    "#1.txt",
    "[x]{y}.txt",
    "~a.txt",
  ],
  ...[
    "a,b;c.txt",
    'say "hi".txt',
    "what?.txt",
    "12:30.txt",
    "a<b>c|d*.txt",
    "-x.txt",
    "(1)",
    "$HOME.txt",
    "`x`.txt",
  ],
  ...["a. ", "no extension", "a..b.txt", "€", "a".repeat(128), "報".repeat(66)],
];

describe("a file name", () => {
  it.each(NAMES)("may be %j", (name) => {
    expect(() => assertFileName(name)).not.toThrow();
    const stored = newStoredName(name, "image/jpeg", "folder/sub");
    expect(isValidStoredName(stored)).toBe(true);
    expect(stored).toContain(name);
    for (const segment of stored.split("/")) {
      expect(segmentOnDisk(segment)).not.toMatch(/[<>:"|?*]|[. ]$/);
      expect(Buffer.byteLength(segmentOnDisk(segment))).toBeLessThanOrEqual(245);
      expect(segmentFromDisk(segmentOnDisk(segment))).toBe(segment);
    }
  });

  it.each([
    ...["", ".", "..", ".hidden", "a/b.txt", "/a", "a\\b.txt", "..\\up.txt", "C:\\windows.txt", "c:x.txt"],
    ...["a\0.txt", "a\r\nb.txt", "a\t.txt", "a\u0085.txt", "a\u2028.txt", "gpj\u202eexe.txt", "a\u2066b.txt"],
    ...["a\ud800.txt", "a".repeat(129), "報".repeat(67), "?".repeat(67)],
  ])("cannot be %j", (name) => {
    expect(() => assertFileName(name)).toThrow(expect.objectContaining({ code: 122 }));
  });
});

it.each(["", "a//b", "../a", "a/../b", "a/.b", "a\\b", "a\0", `${"a".repeat(246)}`])(
  "no stored file has the name %j",
  (name) => {
    expect(isValidStoredName(name)).toBe(false);
  },
);
