import { describe, expect, it } from "vitest";
import { wantedLanguages } from "./languages.ts";
import { createTexts, loadTexts } from "./text.ts";

describe("the texts", () => {
  it("say the English sentence where a language has no translation", () => {
    expect(createTexts("de", { Send: "Senden" }).t("Receive")).toBe("Receive");
    expect(createTexts("de", { Send: "Senden" }).t("Send")).toBe("Senden");
  });

  it("put values in their places, numbers as the language writes them", () => {
    const { t } = createTexts("de", { "{n} of {all}": "{n} von {all}" });
    expect(t("{n} of {all}", { n: 1, all: 12_345 })).toBe("1 von 12.345");
  });

  it("leave a place whose value is missing, and take no value for a sentence", () => {
    expect(createTexts("en").t("{who} sent {what}", { who: "{what}" })).toBe("{what} sent {what}");
  });

  it("count as the language does", () => {
    const { count } = createTexts("en");
    expect([0, 1, 2].map((n) => count(n, "{n} token", "{n} tokens"))).toEqual([
      "0 tokens",
      "1 token",
      "2 tokens",
    ]);
  });

  it("are English where a translation is still empty", () => {
    expect(createTexts("de", { Send: "" }).t("Send")).toBe("Send");
  });

  it("are English where none of the wanted languages is there", async () => {
    expect((await loadTexts("app", ["xx-YY"])).language).toBe("en");
    expect((await loadTexts("app", ["xx", "en-GB"])).language).toBe("en-GB");
  });

  it("are those of the first wanted language that is there, with its region", async () => {
    const texts = await loadTexts("app", ["xx", "de-CH", "en"]);
    expect(texts.language).toBe("de-CH");
    expect(texts.t("Send")).toBe("Senden");
  });

  it("follow the choice before the browser, and the browser for the region", () => {
    expect(wantedLanguages("de", ["en-GB", "de-AT"])).toEqual(["de-AT", "de"]);
    expect(wantedLanguages("en", ["de-AT"])).toEqual(["en"]);
    expect(wantedLanguages(undefined, ["de-AT", "en"])).toEqual(["de-AT", "en"]);
  });
});
