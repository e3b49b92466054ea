import { expect, it } from "vitest";
import { isoTime } from "./isoTime.ts";

const UTC = "2024-02-29T10:00:00.000Z";

it.each([
  ["2024-02-29T10:00:00.000Z", UTC],
  ["2024-02-29T10:00:00Z", UTC],
  ["2024-02-29T10:00Z", UTC],
  ["2024-02-29t10:00:00z", UTC],
  ["2024-02-29 10:00:00Z", UTC],
  ["2024-02-29T10:00:00.123456Z", "2024-02-29T10:00:00.123Z"],
  ["2024-02-29T12:30:00+02:30", UTC],
  ["2024-02-29T12:30:00.000+0230", UTC],
  ["2024-02-29T08:00:00-02", UTC],
  ["2024-02-29T10:00:00+00", UTC],
  ["2024-02-28T24:00:00Z", "2024-02-29T00:00:00.000Z"],
  // Without a zone.
  ["2024-02-29T10:00:00.000", UTC],
  ["2024-02-29T10:00:00", UTC],
  ["2024-02-29T10:00", UTC],
  ["2024-02-29 10:00", UTC],
  ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  // Years that JavaScript, unlike most clients, writes with six digits.
  ["+010000-01-01T00:00:00.000Z", "+010000-01-01T00:00:00.000Z"],
  ["-000001-12-31T00:00:00.000Z", "-000001-12-31T00:00:00.000Z"],
  ["0000-02-29T00:00:00Z", "0000-02-29T00:00:00.000Z"],
  ["0099-12-31", "0099-12-31T00:00:00.000Z"],
])("isoTime() reads %s", (text, iso) => {
  expect(new Date(isoTime(text) ?? Number.NaN).toISOString()).toBe(iso);
});

it.each([
  ...["2024-02-30", "2023-02-29", "2024-04-31T00:00:00.000Z", "2024-13-01", "2024-00-10", "2024-01-00"],
  ...["2024-02-29T25:00Z", "2024-02-29T24:01Z", "2024-02-29T10:60Z", "2024-02-29T23:59:60Z"],
  ...["2024-02-29T10:00+24:00", "2024-02-29T10:00+10:60", "2024-02-29T10Z", "2024-02-29T", "2024-02-29Z"],
  ...["12", "2024", "2024-02", "20240229T100000Z", "2024-2-29", "2024/02/29", "02/29/2024", "29.02.2024"],
  ...["Feb 29, 2024", "Thu, 29 Feb 2024 10:00:00 GMT", "2024-02-29T10:00 Z", "2024-02-29T10:00:00,5Z"],
  ...["", " ", "now", " 2024-02-29", "2024-02-29 ", "2024-02-29\n", "1709200800000", "-000000-01-01"],
  ...["+300000-01-01T00:00:00Z", "٢٠٢٤-02-29", `2024-02-29T10:00:00.${"0".repeat(64)}Z`],
])("isoTime() refuses %j", (text) => {
  expect(isoTime(text)).toBeUndefined();
});

it("isoTime() reads every day of four centuries as the Date constructor does, and no other days", () => {
  const pad = (n: number) => String(n).padStart(2, "0");
  for (let year = 1900; year < 2300; year++) {
    for (let month = 1; month <= 12; month++) {
      const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
      for (const day of [1, 28, 29, 30, 31, 32]) {
        const text = `${year}-${pad(month)}-${pad(day)}`;
        expect(isoTime(text), text).toBe(day <= days ? Date.UTC(year, month - 1, day) : undefined);
      }
    }
  }
});
