import { expect, it } from "vitest";
import { parseSearch } from "./searchParams.ts";

it("parseSearch() reads filters, and ignores invalid ones", () => {
  const filter = { field: "hours", operator: "more", value: 3 };
  expect(
    parseSearch({ class: "Task", where: [filter, { field: "hours" }], whose: "everybody" }),
  ).toMatchObject({ class: "Task", where: [filter], whose: undefined });
});

it("parseSearch() reads the filters of former links", () => {
  const { where } = parseSearch({
    where: "text~has~a%7Cb%7Ec|n~more~12|zip~is~%228001%22|createdAt~less~2026-03-01|done~set~",
  });
  expect(where).toMatchObject([
    { field: "text", operator: "contains", value: "a|b~c" },
    { field: "n", operator: "more", value: 12 },
    { field: "zip", operator: "is", value: "8001" },
    { field: "createdAt", operator: "less", value: { __type: "Date", iso: "2026-03-01T00:00:00.000Z" } },
    { field: "done", operator: "there" },
  ]);
});

it("parseSearch() ignores invalid filters of former links", () => {
  const where = "$where~is~1|text~eval~1|_p~is~1|text~is~%E0%A4%A|createdAt~is~soon|done~is~true";
  expect(parseSearch({ where }).where).toEqual([{ field: "done", operator: "is", value: true }]);
});
