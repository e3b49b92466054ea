import { describe, expect, it } from "vitest";
import { LANGUAGES } from "./languages.ts";
import { languageCodeOf, languageTagOf, matchLanguage } from "./matchLanguage.ts";

const CODES = ["en", "de", "fr", "es", "ja", "zh"];
const tagFor = (...preferred: string[]) => matchLanguage(preferred, (code) => CODES.includes(code))?.tag;

describe("matchLanguage()", () => {
  it.each([
    [["de-CH", "en"], "de-CH"],
    [["xx", "es-MX", "en"], "es-MX"],
    [["fr"], "fr"],
    [["JA-jp"], "JA-jp"],
  ])("prefers the first available language, with its region: %j is %s", (preferred, tag) => {
    expect(tagFor(...preferred)).toBe(tag);
  });

  it.each([
    ["zh", "zh-Hans"],
    ["zh-CN", "zh-Hans-CN"],
    ["zh-SG", "zh-Hans-SG"],
    ["zh-Hans", "zh-Hans"],
    ["zh-Hans-HK", "zh-Hans-HK"],
  ])("takes %s for Chinese in simplified characters", (preferred, tag) => {
    expect(tagFor(preferred, "en")).toBe(tag);
    expect(languageCodeOf(preferred)).toBe("zh");
  });

  it.each(["zh-TW", "zh-HK", "zh-MO", "zh-Hant", "zh-Hant-CN"])(
    "shows readers of %s another language that they prefer, and simplified characters only if there is none",
    (preferred) => {
      expect(tagFor(preferred, "en-US")).toBe("en-US");
      expect(tagFor(preferred, "zh", "ja")).toBe("ja");
      expect(tagFor(preferred, "zh-CN", "en")).toBe("zh-Hans-CN");
      expect(tagFor(preferred)).toMatch(/^zh-Hans/);
      expect(languageCodeOf(preferred)).toBeUndefined();
    },
  );

  it("ignores tags that are not valid", () => {
    expect(tagFor("C", "en_US", "", "de")).toBe("de");
    expect(tagFor("C")).toBeUndefined();
  });
});

it("every language that can be chosen has a valid tag, with its script if it is written in several", () => {
  for (const { code } of LANGUAGES) expect(languageCodeOf(languageTagOf(code))).toBe(code);
  expect([languageTagOf("de"), languageTagOf("zh")]).toEqual(["de", "zh-Hans"]);
});
