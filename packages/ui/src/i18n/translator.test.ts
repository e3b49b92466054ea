import { describe, expect, it } from "vitest";
import { preferredLanguages } from "./languages.ts";
import { createTranslator, loadTranslator } from "./translator.ts";

const CATALOGS = { en: {}, de: async () => ({ Send: "Senden" }) };

describe("translations", () => {
  it("fall back to the English text", () => {
    expect(createTranslator("de", { Send: "Senden" }).t("Receive")).toBe("Receive");
    expect(createTranslator("de", { Send: "Senden" }).t("Send")).toBe("Senden");
  });

  it("leave server texts unchanged, including braces", () => {
    const text: string = "There is no {{name}} in {this} template";
    expect(createTranslator("de").t(text)).toBe(text);
  });

  it("insert values, with numbers in the format of the language", () => {
    const { t } = createTranslator("de", { "{n, number} of {all}": "{n, number} von {all}" });
    expect(t("{n, number} of {all}", { n: 12_345, all: "allen" })).toBe("12.345 von allen");
  });

  it("do not translate values", () => {
    expect(createTranslator("en").t("{sender} sent {amount}", { sender: "{amount}", amount: "1" })).toBe(
      "{amount} sent 1",
    );
  });

  it("follow the plural rules of the language, which may have more forms than English", () => {
    const message = "{n, plural, one {# token} other {# tokens}}";
    const polish = "{n, plural, one {# token} few {# tokeny} many {# tokenów} other {# tokena}}";
    const { t } = createTranslator("pl", { [message]: polish });
    expect([1, 3, 5].map((n) => t(message, { n }))).toEqual(["1 token", "3 tokeny", "5 tokenów"]);
    expect([0, 1, 2].map((n) => createTranslator("en").t(message, { n }))).toEqual([
      "0 tokens",
      "1 token",
      "2 tokens",
    ]);
  });

  it("fall back to English if a translation is empty", () => {
    expect(createTranslator("de", { Send: "" }).t("Send")).toBe("Send");
  });

  it("are English if none of the preferred languages is available", async () => {
    expect((await loadTranslator(CATALOGS, ["xx-YY"])).language).toBe("en");
    expect((await loadTranslator(CATALOGS, ["xx", "en-GB"])).language).toBe("en-GB");
  });

  it("are in the first preferred language that is available, with its region", async () => {
    const translator = await loadTranslator(CATALOGS, ["xx", "de-CH", "en"]);
    expect(translator.language).toBe("de-CH");
    expect(translator.t("Send")).toBe("Senden");
    expect(translator.t("Try again")).toBe("Noch einmal versuchen");
  });

  it("are English if a file fails to load", async () => {
    const failing = { en: {}, de: () => Promise.reject(new Error("offline")) };
    expect((await loadTranslator(failing, ["de"])).language).toBe("en");
  });

  it("prefer the stored language, with the region of the browser", () => {
    expect(preferredLanguages("de", ["en-GB", "de-AT"])).toEqual(["de-AT", "de"]);
    expect(preferredLanguages("en", ["de-AT"])).toEqual(["en"]);
    expect(preferredLanguages(undefined, ["de-AT", "en"])).toEqual(["de-AT", "en"]);
    expect(preferredLanguages("zh", ["zh-TW", "zh-SG", "en"])).toEqual(["zh-SG", "zh"]);
  });

  it("are those of the browser if the stored language does not exist", () => {
    expect(preferredLanguages("tlh", ["de-AT"])).toEqual(["de-AT"]);
  });
});
