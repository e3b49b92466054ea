import { expect, it } from "vitest";
import { type Catalogs, LANGUAGES, UI_CATALOGS } from "./languages.ts";

/** The catalogs of the apps, and the files of all catalogs. */
const APPS = import.meta.glob<Catalogs>("../../../../apps/*/src/i18n/catalogs.ts", {
  eager: true,
  import: "CATALOGS",
});
const FILES = Object.keys(import.meta.glob("../../../../{packages,apps}/*/src/i18n/*.json"));

it("every language that can be chosen has a catalog in the package and in both apps, and no other has one", () => {
  const codes = LANGUAGES.map(({ code }) => code).sort();
  const catalogs = [UI_CATALOGS, ...Object.values(APPS)];
  expect(catalogs).toHaveLength(3);
  for (const each of catalogs) expect(Object.keys(each).sort()).toEqual(codes);
  const files = FILES.map((file) => file.replace(/.*\/(\w+)\.json$/, "$1"));
  expect(files.sort()).toEqual(codes.flatMap((code) => [code, code, code]));
});
