import { expect, it } from "vitest";
import { formatRelativeTime, isRelativeTime } from "./RelativeTime.tsx";

const NOW = Date.UTC(2026, 0, 31, 12);

it.each([
  [0, "now"],
  [12_000, "12 seconds ago"],
  [61_000, "1 minute ago"],
  [7_200_000, "2 hours ago"],
  [47 * 3_600_000, "1 day ago"],
  [6 * 86_400_000, "6 days ago"],
  [57 * 86_400_000, "Dec 5, 2025"],
  [382 * 86_400_000, "Jan 14, 2025"],
])("formatRelativeTime() of %i ms ago is %s", (ms, text) => {
  expect(formatRelativeTime(NOW - ms, NOW, "en")).toBe(text);
});

it.each([
  [3_000, "now"],
  [9_000, "now"],
  [60_000, "in 1 minute"],
])("formatRelativeTime() of %i ms ahead is %s, as clocks differ by seconds", (ms, text) => {
  expect(formatRelativeTime(NOW + ms, NOW, "en")).toBe(text);
});

it.each([
  ["de", "vor 2 Stunden", "05.12.2025"],
  ["es", "hace 2 horas", "5 dic 2025"],
  ["fr", "il y a 2 heures", "5 déc. 2025"],
  ["ja", "2 時間前", "2025/12/05"],
  ["zh-Hans", "2小时前", "2025年12月5日"],
])("says how long ago something was in %s", (language, hours, date) => {
  const texts = [7_200_000, 57 * 86_400_000].map((ms) => formatRelativeTime(NOW - ms, NOW, language));
  expect(texts.map((text) => text.replace(/\s/g, " "))).toEqual([hours, date]);
});

it("isRelativeTime() is true for the week in which times are shown as ages", () => {
  const ages = [0, 6 * 86_400_000, 7 * 86_400_000, -60_000, -8 * 86_400_000];
  expect(ages.map((ms) => isRelativeTime(NOW - ms, NOW))).toEqual([true, true, false, true, false]);
});
