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
    const [time = "00:00"] = /^\d{1,2}:\d{2}/.exec(stringField(row, "timeOfDay")) ?? [];
    return t("{days} at {time}", { days, time });
  }
  const start = formatDate(stringField(row, "startAfter"), language, "utc");
  const n = numberField(row, "repeatMinutes");
  if (!n) return start;
  return t("{start}, then every {n, plural, one {minute} other {# minutes}}", { start, n });
}
