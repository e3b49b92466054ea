import type { JsonObject } from "@purse/protocol";
import { formatDate, type Translator } from "@purse/ui";
import { numberField, stringField } from "../../components/fields.ts";

/** A Sunday in UTC. */
const SUNDAY = Date.UTC(2026, 0, 4);
const DAY_MS = 86_400_000;

/** Describes when a row of `_JobSchedule` runs, in UTC: its cron expression, or the times that Parse Dashboard writes. */
export function scheduleText(row: JsonObject, t: Translator["t"], language: string): string {
  const cron = stringField(row, "cron");
  if (cron !== "") return cron;
  if (Array.isArray(row.daysOfWeek) && row.daysOfWeek.length > 0) {
    const days = row.daysOfWeek
      .map((day) => formatDate(SUNDAY + Number(day) * DAY_MS, language, "utcWeekday"))
      .join(", ");
    return t("{days} at {time}", { days, time: stringField(row, "timeOfDay").slice(0, 5) || "00:00" });
  }
  const start = formatDate(stringField(row, "startAfter"), language, "utc");
  const n = numberField(row, "repeatMinutes");
  if (!n) return start;
  return t("{start}, then every {n, plural, one {minute} other {# minutes}}", { start, n });
}
