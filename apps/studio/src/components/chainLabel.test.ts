import { createTranslator } from "@purse/ui";
import { expect, it } from "vitest";
import { chainLabel } from "./chainLabel.ts";

const { t } = createTranslator("en");

it("chainLabel() names the local chain as the app does, and other chains by their names", () => {
  expect(chainLabel({ name: "localdevchain" }, t)).toBe("Local chain");
  expect(chainLabel({ name: "Polygon" }, t)).toBe("Polygon");
});
