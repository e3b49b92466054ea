import { describe, expect, it } from "vitest";
import { readAppTexts } from "./appTexts.ts";
import { missingPluralForms, translationStatuses } from "./texts.ts";

describe.each(translationStatuses())("the translation $file", ({ missing, stale, mismatched: misplaced }) => {
  it("has all messages (npm run texts lists missing ones)", () => {
    expect(missing).toEqual([]);
  });

  it("has no unused messages", () => {
    expect(stale).toEqual([]);
  });

  it("has the placeholders of its messages", () => {
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

describe("the texts of the apps", () => {
  const { usages: said, hardcoded: bare } = readAppTexts();

  it("are found in calls, with plurals, in tables and in messages", () => {
    for (const sentence of ["Sign in", "Wrong password", "Paste the ABI first."])
      expect([said.ui, said.web].some((texts) => texts.has(sentence))).toBe(true);
    expect(said.web.has("{n, plural, one {Spam folder: # token} other {Spam folder: # tokens}}")).toBe(true);
  });

  it("are in the shared catalog if both apps use them", () => {
    expect(said.ui.has("Sign in")).toBe(true);
    expect([...said.studio.keys()].filter((sentence) => said.web.has(sentence))).toEqual([]);
  });

  it("are translated, except for names, units and keys", () => {
    const words = bare.map((each) => each.slice(each.indexOf(" ") + 1));
    expect(words.filter((word) => /\s/.test(word) && word !== "Ctrl K")).toEqual([]);
  });
});
