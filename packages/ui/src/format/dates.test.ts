import { expect, it } from "vitest";
import { formatDate } from "./dates.ts";

const AT = new Date(2026, 10, 20, 9, 41, 12, 305);

it("formatDate() follows the language and the style", () => {
  const plain = (text: string) => text.replace(/\s/g, " ");
  expect(plain(formatDate(AT, "en"))).toBe("Nov 20, 2026, 9:41:12 AM");
  expect(plain(formatDate(AT.toISOString(), "de", "date"))).toBe("20.11.2026");
  expect(plain(formatDate(AT.getTime(), "en", "clock"))).toBe("09:41:12.305");
  expect(plain(formatDate(AT, "en", "full"))).toMatch(/^Friday, November 20, 2026 at 9:41:12 AM/);
});

it("formatDate() shows times of schedules and charts in UTC", () => {
  const plain = (style: "utc" | "utcDate" | "utcMonth" | "utcYear" | "utcWeekday") =>
    formatDate("2026-01-01T00:30:00.000Z", "en", style).replace(/\s/g, " ");
  expect(plain("utc")).toBe("Jan 1, 2026, 12:30 AM");
  expect([plain("utcDate"), plain("utcMonth"), plain("utcYear"), plain("utcWeekday")]).toEqual([
    "Jan 1, 2026",
    "January 2026",
    "2026",
    "Thu",
  ]);
});

it("formatDate() leaves a text that is no time as it is", () => {
  expect(formatDate("soon", "en")).toBe("soon");
  expect(formatDate("", "en")).toBe("");
});
