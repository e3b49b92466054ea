import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const FOLDERS = ["apps/web/src", "apps/studio/src", "packages/ui/src"];
const OWN_FORMAT =
  /\.(?:toLocaleString|toLocaleDateString|toLocaleTimeString|toFixed|toPrecision|toExponential)\(|Intl\.(?:Number|DateTime|RelativeTime)Format\((?!\)\.resolvedOptions)|\}\s?ms\b/;

/** Files that format numbers or times without those of packages/ui/src/format, with the reason. */
const EXCEPTIONS = new Map([
  ["apps/web/src/pages/explorer/parseDate.ts", "reads dates in the words of a language, and shows none"],
  ["packages/ui/src/components/Chart.tsx", "chooses the parts of dates by the range of its axis"],
  [
    "packages/ui/src/components/RelativeTime.tsx",
    "is the format of relative times, and loads before the others",
  ],
  ["packages/ui/src/format/dates.ts", "is the format of dates"],
  ["packages/ui/src/format/numbers.ts", "is the format of numbers"],
]);

it("the apps format numbers, sizes, durations and times with one set of functions", () => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
  ).filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));
  expect(files.length).toBeGreaterThan(100);
  const own = files.filter((file) => OWN_FORMAT.test(readFileSync(join(ROOT, file), "utf8")));
  expect(own.sort()).toEqual([...EXCEPTIONS.keys()].sort());
});
