import { MAX_DATE_LENGTH } from "./limits.ts";

/** The date, the time and its zone. */
const ISO_TIME =
  /^((?:[+-]\d\d)?\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?|24:00(?::00(?:\.0+)?)?)(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/i;

/**
 * Reads a date in ISO 8601, with or without a time, in ms since the epoch. A date or time without a zone is in UTC,
 * whatever the zone of the machine. Undefined for other formats, and for dates that do not exist.
 */
export function isoTime(text: string): number | undefined {
  const [, date, clock = "00:00", zone = "Z"] = (text.length <= MAX_DATE_LENGTH && ISO_TIME.exec(text)) || [];
  if (date === undefined) return undefined;
  const day = new Date(`${date}T00:00Z`);
  // February 30 would be March 1.
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(-20, -14) !== date.slice(-6)) return undefined;
  const offset = zone.replace(/^(...):?(..)?$/, (_, hours, minutes = "00") => `${hours}:${minutes}`);
  const time = Date.parse(`${date}T${clock}${offset.toUpperCase()}`);
  return Number.isNaN(time) ? undefined : time;
}
