import { describe, expect, it } from "vitest";
import { preferredLanguages } from "./languages.ts";
import { createTranslator, loadTranslator } from "./translator.ts";

const LOADERS = { de: async () => ({ Send: "Senden" }) };

describe("translations", () => {
  it("fall back to the English text", () => {
    expect(createTranslator("de", { Send: "Senden" }).t("Receive")).toBe("Receive");
    expect(createTranslator("de", { Send: "Senden" }).t("Send")).toBe("Senden");
  });

  it("insert values, with numbers in the format of the language", () => {
    const { t } = createTranslator("de", { "{n} of {all}": "{n} von {all}" });
    expect(t("{n} of {all}", { n: 1, all: 12_345 })).toBe("1 von 12.345");
  });

  it("keep placeholders without a value, and do not translate values", () => {
    const text: string = "{sender} sent {amount}";
    expect(createTranslator("en").t(text, { sender: "{amount}" })).toBe("{amount} sent {amount}");
  });

  it("follow the plural rules of the language", () => {
    const { count } = createTranslator("en");
    expect([0, 1, 2].map((n) => count(n, "{n} token", "{n} tokens"))).toEqual([
      "0 tokens",
      "1 token",
      "2 tokens",
    ]);
  });

  it("are English where a translation is still empty", () => {
    expect(createTranslator("de", { Send: "" }).t("Send")).toBe("Send");
  });

  it("are English where none of the wanted languages is there", async () => {
    expect((await loadTranslator(LOADERS, ["xx-YY"])).language).toBe("en");
    expect((await loadTranslator(LOADERS, ["xx", "en-GB"])).language).toBe("en-GB");
  });

  it("are those of the first wanted language that is there, with its region", async () => {
    const translator = await loadTranslator(LOADERS, ["xx", "de-CH", "en"]);
    expect(translator.language).toBe("de-CH");
    expect(translator.t("Send")).toBe("Senden");
    expect(translator.t("Try again")).toBe("Noch einmal versuchen");
  });

  it("are English if a file fails to load", async () => {
    const failing = { de: () => Promise.reject(new Error("offline")) };
    expect((await loadTranslator(failing, ["de"])).language).toBe("en");
  });

  it("prefer the stored language, with the region of the browser", () => {
    expect(preferredLanguages("de", ["en-GB", "de-AT"])).toEqual(["de-AT", "de"]);
    expect(preferredLanguages("en", ["de-AT"])).toEqual(["en"]);
    expect(preferredLanguages(undefined, ["de-AT", "en"])).toEqual(["de-AT", "en"]);
  });
});
