import { MAX_DATE_LENGTH } from "./limits.ts";

/** The date, the time, and the hours and minutes of its zone. */
const ISO_TIME =
  /^((?:[+-]\d\d)?\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z|([+-]\d\d)(?::?(\d\d))?)?)?$/i;

/**
 * Reads a date in ISO 8601, with or without a time, in ms since the epoch. A date or time without a zone is in UTC,
 * whatever the zone of the machine. Undefined for other formats, and for dates that do not exist.
 */
export function isoTime(text: string): number | undefined {
  const match = text.length <= MAX_DATE_LENGTH && ISO_TIME.exec(text);
  const [, date = "", clock = "00:00", hours, minutes = "00"] = match || [];
  // February 30 would be March 1.
  const isDay = new Date(`${date}T00:00Z`).getUTCDate() === Number(date.slice(-2));
  const time = Date.parse(`${date}T${clock}${hours ? `${hours}:${minutes}` : "Z"}`);
  return isDay && !Number.isNaN(time) ? time : undefined;
}
