import { expect, it } from "vitest";
import { findInPage, findInSource, wordsOf } from "./vocabulary/find.ts";

const termsOf = (file: string, source: string) => findInSource(file, source).map(({ term }) => term);

it("wordsOf() splits camelCase, PascalCase, snake_case and acronyms", () => {
  expect(wordsOf("createDataDoor2")).toEqual(["create", "data", "door", "2"]);
  expect(wordsOf("MOST_WAITING")).toEqual(["most", "waiting"]);
  expect(wordsOf("HTTPDoor")).toEqual(["http", "door"]);
});

it.each([
  ["export function createDataDoor() {}", "door"],
  ["const judgeKey = 1;", "judge"],
  ["class X { #teller = 1; }", "teller"],
  ["export interface StoreParts {}", "parts"],
  ["class X { #parts = 1; }", "#parts"],
  ["export const MOST_ITEMS = 5;", "most"],
  ["export async function carryOut() {}", "carry out"],
  ["const x = { mayLag: true };", "may lag"],
])("findInSource() rejects the identifier of `%s`", (source, term) => {
  expect(termsOf("packages/server/src/planted.ts", source)).toEqual([term]);
});

it.each([
  "const formatToParts = 1;",
  "const parts = text.split(' ');",
  "const outdoors = 1;",
  "const text = 'a door';",
  "// a door",
  "const MAX_ITEMS = 5;",
])("findInSource() accepts `%s`", (source) => {
  expect(termsOf("packages/server/src/planted.ts", source)).toEqual([]);
});

it("findInSource() rejects names of files and folders", () => {
  expect(termsOf("packages/server/src/http/dataDoor.ts", "")).toEqual(["door"]);
  expect(termsOf("apps/studio/src/rooms/Data.tsx", "")).toEqual(["rooms"]);
});

it("findInSource() rejects terms of one area in that area only", () => {
  expect(termsOf("packages/server/src/objects/draft.ts", "interface Draft {}")).toEqual(["Draft"]);
  expect(termsOf("apps/studio/src/data/draft.ts", "interface Draft {}")).toEqual([]);
});

it("findInSource() rejects phrases in texts of the app, in code and in JSX", () => {
  expect(termsOf("apps/web/src/pages/X.tsx", 't("Half are faster than");')).toEqual(["“faster than”"]);
  expect(termsOf("apps/web/src/pages/X.tsx", "const x = <p>Ways in</p>;")).toEqual(["“ways in”"]);
  expect(
    termsOf(
      "apps/web/src/pages/X.tsx",
      'import { Room } from "./Room.ts"; const x = <p className="room" />;',
    ),
  ).toEqual(["room"]);
  expect(termsOf("packages/server/src/x.ts", 't("Half are faster than");')).toEqual([]);
});

it("findInPage() rejects phrases of pages, with their lines, but not in code", () => {
  const page = "# Page\n\nEvery door is closed.\n`door`\n\n```sh\ndoor\n```\nWhoever asks\n";
  expect(findInPage("docs/page.md", page).map(({ term, line }) => [term, line])).toEqual([
    ["“door”", 3],
    ["“whoever”", 9],
  ]);
});
