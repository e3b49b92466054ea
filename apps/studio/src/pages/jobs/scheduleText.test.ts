import { createTranslator } from "@purse/ui";
import { expect, it } from "vitest";
import { scheduleText } from "./scheduleText.ts";

const { t } = createTranslator("en");

it.each([
  [{ cron: "0 3 * * *" }, "0 3 * * *"],
  [{ daysOfWeek: [1, 5], timeOfDay: "08:30:00.000Z" }, "Mon, Fri at 08:30"],
  [{ daysOfWeek: ["0"] }, "Sun at 00:00"],
  [{ daysOfWeek: ["6"], timeOfDay: "8:30:00.000Z" }, "Sat at 8:30"],
  [{ startAfter: "2026-12-01T06:00:00.000Z" }, "Dec 1, 2026, 6:00 AM"],
  [
    { startAfter: "2026-12-01T06:00:00.000Z", repeatMinutes: 90 },
    "Dec 1, 2026, 6:00 AM, then every 90 minutes",
  ],
  [{ startAfter: "2026-12-01T06:00:00.000Z", repeatMinutes: 1 }, "Dec 1, 2026, 6:00 AM, then every minute"],
  [{}, ""],
])("scheduleText() describes the times of %j in UTC", (row, text) => {
  expect(scheduleText(row, t, "en").replace(/\s/g, " ")).toBe(text);
});
