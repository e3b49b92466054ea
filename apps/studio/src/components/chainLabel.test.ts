import { createTranslator } from "@purse/ui";
import { expect, it } from "vitest";
import { chainLabel } from "./chainLabel.ts";

const { t } = createTranslator("en");

it("chainLabel() names the local chain as the app does, and other chains by their titles", () => {
  expect(chainLabel({ name: "localdevchain", title: "localdevchain" }, t)).toBe("Local chain");
  expect(chainLabel({ name: "polygon", title: "Polygon" }, t)).toBe("Polygon");
});
