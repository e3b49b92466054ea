import { expect, it } from "vitest";
import { parseDate } from "./parseDate.ts";

const NOW = new Date(2026, 10, 28, 15, 30);
const TEN_JANUARY = new Date(2025, 0, 10);

it.each([
  ["2025-01-10", "en"],
  ["2025-1-10", "en"],
  ["10.01.2025", "en"],
  ["10.1.25", "de"],
  ["1/10/2025", "en-US"],
  ["10/01/2025", "en-GB"],
  ["10-01-2025", "fr"],
  ["2025/01/10", "ja"],
  ["2025年1月10日", "zh"],
  ["jan 10 2025", "en"],
  ["10 January 2025", "en"],
  ["January 10th, 2025", "en"],
  ["10. Januar 2025", "de"],
  ["10 de enero de 2025", "es"],
  ["10 janv. 2025", "fr"],
  ["10 Jan 2025", "ja"],
])("parseDate() reads %j in %s as a day", (text, language) => {
  expect(parseDate(text, language, NOW)).toEqual(TEN_JANUARY);
});

it.each([
  ["today", "en", new Date(2026, 10, 28)],
  ["Yesterday", "de", new Date(2026, 10, 27)],
  ["gestern", "de", new Date(2026, 10, 27)],
  ["hier", "fr", new Date(2026, 10, 27)],
  ["3 days ago", "en", new Date(2026, 10, 25, 15, 30)],
  ["vor 2 Stunden", "de", new Date(2026, 10, 28, 13, 30)],
  ["10 dec", "en", new Date(2025, 11, 10)],
  ["2025-01-10 9:41", "en", new Date(2025, 0, 10, 9, 41)],
  ["2025-01-10T09:41:05Z", "en", new Date("2025-01-10T09:41:05Z")],
])("parseDate() reads %j in %s as a time", (text, language, date) => {
  expect(parseDate(text, language, NOW)).toEqual(date);
});

it.each([
  "",
  "purse",
  "may",
  "USDC 2025",
  "31.02.2025",
  "13/45/2025",
  "2025-13-01",
  "123456",
  "1.5",
  "marble 10",
])("parseDate() does not read %j as a date", (text) => {
  expect(parseDate(text, "en", NOW)).toBeUndefined();
});
