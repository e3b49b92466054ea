import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseTime } from "./parseTime.ts";

const NOON = Date.UTC(2026, 10, 3, 10) / 1000;
const MIDNIGHT = Date.UTC(2026, 10, 3) / 1000;

describe("on a server in another time zone", () => {
  const zone = process.env.TZ;
  beforeEach(() => {
    process.env.TZ = "America/New_York";
  });
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  it.each([
    ["2026-11-03 10:00:00", NOON],
    ["2026-11-03T10:00:00", NOON],
    ["2026-11-03T10:00", NOON],
    ["2026-11-03T10", NOON],
    ["2026-11-03T12:00:00 02:00", NOON],
    ["20261103T100000", NOON],
    ["20261103T1000", NOON],
    ["2026-11-03T10:00:00,900", NOON],
    ["Nov 3, 2026 10:00", NOON],
    ["3 November 2026 10:00:00", NOON],
    ["11/3/2026 10:00", NOON],
    ["2026-11-03", MIDNIGHT],
    ["20261103", MIDNIGHT],
    ["2026-307", MIDNIGHT],
    ["2026307", MIDNIGHT],
    ["2026-W45-2", MIDNIGHT],
    ["2026W452", MIDNIGHT],
    ["2026-W45-2T10:00", NOON],
    ["2026-11-02T24:00", MIDNIGHT],
    ["2026-11", Date.UTC(2026, 10) / 1000],
    ["2026", Date.UTC(2026, 0) / 1000],
  ])("parseTime() takes %s without a time zone as UTC", (text, seconds) => {
    expect(parseTime(text)).toBe(seconds);
  });
});

it.each([
  ["2026-11-03T10:00:00Z", NOON],
  ["2026-11-03T10:00:00.999Z", NOON],
  ["2026-11-03T11:30:00+01:30", NOON],
  ["2026-11-03T11:30+0130", NOON],
  ["2026-11-03 05:00:00-05", NOON],
  ["20261103T100000Z", NOON],
  ["Tue, 03 Nov 2026 10:00:00 GMT", NOON],
  ["Tue Nov 03 2026 05:00:00 GMT-0500 (Eastern Standard Time)", NOON],
  [String(NOON), NOON],
  [String(NOON * 1000), NOON],
  [NOON, NOON],
  [NOON * 1000, NOON],
  ["29 Feb 2024 GMT", Date.UTC(2024, 1, 29) / 1000],
  ["2/29/2024", Date.UTC(2024, 1, 29) / 1000],
  ["3/1/30", Date.UTC(2030, 2, 1) / 1000],
  ["1 Mar 2030 10:31", Date.UTC(2030, 2, 1, 10, 31) / 1000],
  ["Jan 31 2026 23:30:00 GMT-0100", Date.UTC(2026, 1, 1, 0, 30) / 1000],
  ["March 2026", Date.UTC(2026, 2) / 1000],
  ["2026.11.03", MIDNIGHT],
  ["2026 Nov 3", MIDNIGHT],
  ["3rd Nov, 2026", MIDNIGHT],
  ["03-Nov-2026 10:00", NOON],
  ["11/3/2026, 10:00:00 AM", NOON],
  ["Nov 3 2026 05:00 EST", NOON],
  ["Nov 3 2026 11:30 +01:30", NOON],
  ["2026-11-03 10:00:00 +0000 UTC", NOON],
  ["+002026-11-03T10:00:00", NOON],
  ["2026-11-03 10:00 AM", NOON],
  ["2026-11-04T00:00+14:00", NOON],
  ["0", 0],
  ["-000001-01-01T00:00:00Z", undefined],
])("parseTime() converts %s to seconds since the epoch", (value, seconds) => {
  if (seconds === undefined) expect(parseTime(value)).toBeLessThan(0);
  else expect(parseTime(value)).toBe(seconds);
});

it.each([
  "20261399",
  "2026-02-30",
  "2026-W54",
  "2026-366",
  "2026-11-03T25:00",
  "2026-11-03T10:61",
  "2026-11-03T10:00+99:99",
  "2026-11-03T10:00+01:60",
  "02/30/2024",
  "2/30/2023",
  "2/29/2023",
  "11/31/26",
  "2026/02/30",
  "Feb 30, 2024",
  "30 Feb 2024 01:00",
  "31st April 2026",
  "31 April 2026 1:00 pm",
  "Wed, 30 Feb 2024 10:00:00 GMT",
  "Sat Feb 30 2024 02:00:00 GMT+0530 (India Standard Time)",
  "+002026-02-30T00:00:00Z",
  "Nov 3 2026 10:60",
  "Nov 3 2026 13:00 PM",
  "Nov 3 2026 10:00 GMT+99",
  "Nov 3 2026 10:00 +25:00",
  "Nov 3 2026 10:00 -5",
  "3 Nov 2026 5",
  "may 5 6 2026",
  "5 5 5",
  "1/2/1",
  "1.2.2026",
  "31.12.2026",
  "12-11-2026",
  "31/12/2026",
  "2026-2-30",
  "2026-13-01",
  "June 31",
  "20261103100000",
  "foo 2",
  "block 2026",
  "-5",
  "7 Nov",
  "soon",
  "",
  {},
])("parseTime() rejects %s", (value) => {
  expect(parseTime(value)).toBeUndefined();
});
