import { createTranslator } from "@purse/ui";
import { expect, it } from "vitest";
import { passwordHint } from "./passwordHint.ts";

const { t } = createTranslator("en");

it.each([
  ["", "At least 12 characters are recommended."],
  ["short", "Short: 5 of at least 12 recommended characters."],
  ["aaaaaaaaaaaaaaaa", "Weak: it repeats a few characters."],
  ["correct horse battery", "Good length."],
])("passwordHint() returns for %j: %s", (password, hint) => {
  expect(passwordHint(password, t)).toBe(hint);
});
