import { describe, expect, it } from "vitest";
import { relativeTime } from "./relativeTime.ts";

describe("relativeTime", () => {
  const NOW = Date.parse("2026-01-10T00:00:00.000Z");

  it.each([
    ["now", "2026-01-10T00:00:00.000Z"],
    ["12 hours ago", "2026-01-09T12:00:00.000Z"],
    ["in 1 week 2 days", "2026-01-19T00:00:00.000Z"],
    ["In 1 yr", "2027-01-10T00:00:00.000Z"],
    ["1 min  30 secs ago", "2026-01-09T23:58:30.000Z"],
  ])("reads %s", (text, iso) => {
    expect(new Date(relativeTime(text, NOW)).toISOString()).toBe(iso);
  });

  it.each([
    ["12 days", "start with 'in' or end with 'ago'"],
    ["in 1 day ago", "both"],
    ["1 ago", "Dangling"],
    ["x days ago", "'x' is not an integer."],
    ["1 fortnight ago", "Invalid interval: 'fortnight'"],
    ["999999999 years ago", "out of range"],
    ["", "start with"],
  ])("rejects %j", (text, message) => {
    expect(() => relativeTime(text, NOW)).toThrow(message);
  });
});
