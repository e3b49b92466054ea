import type { JsonObject } from "@purse/protocol";

/*
 * A push whose time has no time zone is sent to each device at that time in the device's own zone: in waves, one every
 * 15 minutes, from the first time zone to the last.
 */

const HOUR_MS = 3_600_000;
/** Largest offsets of time zones before and behind UTC. */
const FIRST_MS = -14 * HOUR_MS;
const LAST_MS = 12 * HOUR_MS;
const WAVE_MS = HOUR_MS / 4;

/** Whether a stored time has no time zone. */
export function isLocalTime(pushTime: string): boolean {
  return !pushTime.endsWith("Z");
}

/** A stored time in ms since the epoch; a time without a zone is read as UTC. */
export function timeOf(pushTime: string): number {
  return Date.parse(isLocalTime(pushTime) ? `${pushTime}Z` : pushTime);
}

/** The times of the first and of the last wave; ms since the epoch. */
export function wavesOf(pushTime: string): { first: number; last: number } {
  const at = timeOf(pushTime);
  return { first: at + FIRST_MS, last: at + LAST_MS };
}

/** Index of the wave at a time, from 0; -1 before the first wave. */
export function waveAt(pushTime: string, now: number): number {
  return Math.max(-1, Math.floor((now - wavesOf(pushTime).first) / WAVE_MS));
}

/** When a push is due in a time zone, in ms since the epoch. An unknown zone counts as UTC. */
export function dueTimeIn(pushTime: string, timeZone: string | undefined): number {
  const at = timeOf(pushTime);
  const offset = offsetAt(at, timeZone);
  // Repeated in case daylight saving time changes between the two times.
  return at - offsetAt(at - offset, timeZone);
}

/** A query for the installations that may be due after `from` and by `until`, by their time zones. */
export function dueInstallations(pushTime: string, from: number, until: number): JsonObject {
  const due = ZONES.filter((zone) => isBetween(dueTimeIn(pushTime, zone), from, until));
  // Installations with unknown or legacy zone names are filtered individually.
  return { $or: [{ timeZone: { $in: due } }, { timeZone: { $nin: ZONES } }] };
}

export function isBetween(time: number, from: number, until: number): boolean {
  return time > from && time <= until;
}

const ZONES = Intl.supportedValuesOf("timeZone");
const formats = new Map<string, Intl.DateTimeFormat | undefined>();
const MAX_FORMATS = 1_000;

/** Offset of a time zone from UTC at a time, in ms; 0 for an unknown zone. */
function offsetAt(at: number, timeZone: string | undefined): number {
  const format = timeZone === undefined ? undefined : formatOf(timeZone);
  if (!format) return 0;
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000;
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  if (formats.has(timeZone)) return formats.get(timeZone);
  // Zone names are client input, so the cache is bounded.
  if (formats.size >= MAX_FORMATS) formats.clear();
  const format = newFormat(timeZone);
  formats.set(timeZone, format);
  return format;
}

function newFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  const numeric = "numeric" as const;
  const time = { hour: numeric, minute: numeric, second: numeric, hourCycle: "h23" as const };
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      year: numeric,
      month: numeric,
      day: numeric,
      ...time,
    });
  } catch {
    // RangeError: not a time zone.
    return undefined;
  }
}
