import { describe, expect, it } from "vitest";
import { readAppTexts } from "./appTexts.ts";
import { missingPluralForms, translationStatuses } from "./texts.ts";

describe.each(translationStatuses())("the translation $file", ({ missing, stale, mismatched: misplaced }) => {
  it("has every sentence that is said (npm run texts lists those that lack)", () => {
    expect(missing).toEqual([]);
  });

  it("has none that nothing says", () => {
    expect(stale).toEqual([]);
  });

  it("has the places of its sentences, and all plural forms of the language", () => {
    expect(misplaced).toEqual([]);
  });
});

describe("the languages", () => {
  it.each([
    ["{n, plural, one {# token} other {# tokens}}", "en", []],
    ["{n, plural, one {# jeton} other {# jetons}}", "fr", ["many"]],
    ["{n, plural, one {# jeton} many {# de jetons} other {# jetons}}", "fr", []],
    ["{n, plural, other {{m, plural, one {#} other {#}}}}", "es", ["many", "many", "one"]],
    ["{n, plural, other {# トークン}}", "ja", []],
  ])("have plural forms that messages must have: %s in %s lacks %j", (message, code, forms) => {
    expect(missingPluralForms(message, code).sort()).toEqual(forms);
  });
});

describe("what the app says", () => {
  const { usages: said, hardcoded: bare } = readAppTexts();

  it("is found where it is said directly, by number, from a table and in a message", () => {
    for (const sentence of ["Sign in", "Wrong password", "Paste the ABI first."])
      expect([said.ui, said.web].some((texts) => texts.has(sentence))).toBe(true);
    expect(said.web.has("{n, plural, one {Spam folder: # token} other {Spam folder: # tokens}}")).toBe(true);
  });

  it("is in the shared texts if both apps say it", () => {
    expect(said.ui.has("Sign in")).toBe(true);
    expect([...said.studio.keys()].filter((sentence) => said.web.has(sentence))).toEqual([]);
  });

  it("goes through the texts, but for names, units and keys", () => {
    const words = bare.map((each) => each.slice(each.indexOf(" ") + 1));
    expect(words.filter((word) => /\s/.test(word) && word !== "Ctrl K")).toEqual([]);
  });
});
