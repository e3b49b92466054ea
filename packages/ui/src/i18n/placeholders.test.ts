import { compileMessageOrThrow } from "@lingui/message-utils/compileMessage";
import { expect, it } from "vitest";
import { compilePlaceholders } from "./placeholders.ts";

/** The texts of this package and of the apps are the keys of the catalogs. */
const CATALOGS = import.meta.glob<Record<string, string>>("../../../../{packages,apps}/*/src/i18n/de.json", {
  eager: true,
  import: "default",
});

it("compilePlaceholders() compiles texts without plurals to the same tokens as Lingui's parser", () => {
  const all = Object.values(CATALOGS).flatMap(Object.keys);
  const texts = all.filter((text) => !text.includes(", plural,"));
  expect(texts.length).toBeGreaterThan(1000);
  for (const text of texts) {
    expect(compilePlaceholders(text).filter((token) => token !== "")).toEqual(compileMessageOrThrow(text));
  }
});
