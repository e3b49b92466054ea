import type { JsonObject } from "@purse/protocol";

/*
 * A push whose time names no zone is sent to each device when its own clock shows that time: in waves, one every
 * quarter of an hour, from the first zone of the Earth to the last.
 */

const HOUR_MS = 3_600_000;
/** No clock is further before, or behind, UTC. */
const FIRST_MS = -14 * HOUR_MS;
const LAST_MS = 12 * HOUR_MS;
const WAVE_MS = HOUR_MS / 4;

/** Whether a time as it is stored names no zone. */
export function isLocalTime(pushTime: string): boolean {
  return !pushTime.endsWith("Z");
}

/** A stored time, ms since the epoch; one without a zone as if it were UTC. */
export function timeOf(pushTime: string): number {
  return Date.parse(isLocalTime(pushTime) ? `${pushTime}Z` : pushTime);
}

/** The times of the first and of the last wave; ms since the epoch. */
export function wavesOf(pushTime: string): { first: number; last: number } {
  const at = timeOf(pushTime);
  return { first: at + FIRST_MS, last: at + LAST_MS };
}

/** Which wave a time falls into, counted from 0; -1 before the first. */
export function waveAt(pushTime: string, now: number): number {
  return Math.max(-1, Math.floor((now - wavesOf(pushTime).first) / WAVE_MS));
}

/** When a clock of a zone shows the time; ms since the epoch. Clocks whose zone is not known show UTC. */
export function dueIn(pushTime: string, timeZone: string | undefined): number {
  const at = timeOf(pushTime);
  const offset = offsetAt(at, timeZone);
  // Once more, for a change of the clocks between the two.
  return at - offsetAt(at - offset, timeZone);
}

/** The installations that a wave may concern, as a `where`: those of zones whose time came after `from` and by `until`. */
export function whereDue(pushTime: string, from: number, until: number): JsonObject {
  const due = ZONES.filter((zone) => isBetween(dueIn(pushTime, zone), from, until));
  // What is no known zone, and old names of zones, are looked at one by one.
  return { $or: [{ timeZone: { $in: due } }, { timeZone: { $nin: ZONES } }] };
}

export function isBetween(time: number, from: number, until: number): boolean {
  return time > from && time <= until;
}

const ZONES = Intl.supportedValuesOf("timeZone");
const formats = new Map<string, Intl.DateTimeFormat | undefined>();
const MAX_FORMATS = 1_000;

/** How far a zone's clock is ahead of UTC at a time, in ms; 0 for what is no zone. */
function offsetAt(at: number, timeZone: string | undefined): number {
  const format = timeZone === undefined ? undefined : formatOf(timeZone);
  if (!format) return 0;
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000;
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  if (formats.has(timeZone)) return formats.get(timeZone);
  // Devices say of themselves what their zone is: what they invent fills no memory.
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
    // Not a zone: RangeError.
    return undefined;
  }
}
