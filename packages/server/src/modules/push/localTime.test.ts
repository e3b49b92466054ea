import { describe, expect, it } from "vitest";
import { dueInstallations, dueTimeIn, waveAt, wavesOf } from "./localTime.ts";

const NINE = "2026-07-01T09:00:00.000";
const iso = (time: number) => new Date(time).toISOString();

describe("a local push time", () => {
  it.each([
    ["Pacific/Kiritimati", "2026-06-30T19:00:00.000Z"],
    ["Asia/Tokyo", "2026-07-01T00:00:00.000Z"],
    ["Asia/Kathmandu", "2026-07-01T03:15:00.000Z"],
    ["Europe/Berlin", "2026-07-01T07:00:00.000Z"],
    ["UTC", "2026-07-01T09:00:00.000Z"],
    ["America/New_York", "2026-07-01T13:00:00.000Z"],
    ["Pacific/Pago_Pago", "2026-07-01T20:00:00.000Z"],
    ["Nowhere/At all", "2026-07-01T09:00:00.000Z"],
    [undefined, "2026-07-01T09:00:00.000Z"],
  ])("of nine o'clock in %s is %s", (zone, time) => {
    expect(iso(dueTimeIn(NINE, zone))).toBe(time);
  });

  it("respects daylight saving time", () => {
    expect(iso(dueTimeIn("2026-01-01T09:00:00.000", "Europe/Berlin"))).toBe("2026-01-01T08:00:00.000Z");
  });

  it("is reached in every time zone between the first and the last wave", () => {
    const { first, last } = wavesOf(NINE);
    for (const zone of Intl.supportedValuesOf("timeZone")) {
      expect(dueTimeIn(NINE, zone)).toBeGreaterThanOrEqual(first);
      expect(dueTimeIn(NINE, zone)).toBeLessThanOrEqual(last);
    }
    expect([waveAt(NINE, first - 1), waveAt(NINE, first), waveAt(NINE, last)]).toEqual([-1, 0, 104]);
  });

  it("selects in each wave the installations whose time zones are due, and those with unknown ones", () => {
    const until = Date.parse("2026-07-01T07:00:00.000Z");
    const text = JSON.stringify(dueInstallations(NINE, until - 1, until));
    const [known = "", unknown = ""] = text.split('"$nin"');
    expect(known).toContain('"Europe/Berlin"');
    expect(known).not.toContain('"Asia/Tokyo"');
    expect(unknown).toContain('"Asia/Tokyo"');
  });
});
