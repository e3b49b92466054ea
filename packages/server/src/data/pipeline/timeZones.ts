import { PipelineError } from "./pipelineError.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A time zone of the IANA database, or a fixed offset from UTC. Never depends on the zone of the process. */
export interface TimeZone {
  /** Whether it is UTC by one of its names. */
  isUtc: boolean;
  /** The difference of its local time from UTC at a time in UTC, in ms. */
  offsetAt(time: number): number;
}

export const UTC: TimeZone = { isUtc: true, offsetAt: () => 0 };

/** A period between two changes of a zone's offset, in ms. */
interface Period {
  start: number;
  end: number;
  offset: number;
}

/** Periods that are kept for each zone, the last used ones first. */
const MAX_PERIODS = 32;
/** Zones with names are kept; there are about 600. */
const zones = new Map<string, TimeZone>();

/**
 * Returns a time zone by its name (`America/New_York`, `GMT`) or offset (`+05:30`, `-0800`, `+01`). Throws for an unknown
 * one.
 */
export function parseTimeZone(name: string): TimeZone {
  const offset = parseOffset(name);
  if (offset !== undefined) return { isUtc: offset === 0, offsetAt: () => offset };
  if (/^(?:UTC|GMT|Etc\/UTC|Etc\/GMT)$/.test(name)) return UTC;
  const known = zones.get(name);
  if (known) return known;
  const zone = namedZone(name);
  zones.set(name, zone);
  return zone;
}

/** Parses an offset with hours and maybe minutes, in ms. */
export function parseOffset(text: string): number | undefined {
  const match = /^([+-])(\d{2})(?::?(\d{2}))?$/.exec(text);
  if (!match) return undefined;
  const [, sign, hours, minutes = "0"] = match;
  const size = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
  return sign === "-" ? -size : size;
}

function namedZone(name: string): TimeZone {
  const at = (time: number): Temporal.ZonedDateTime =>
    Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(name);
  try {
    // Names alone: Temporal also takes whole dates with a zone.
    if (!/^[A-Za-z][\w+/-]*$/.test(name)) throw new RangeError("no name");
    at(0);
  } catch {
    throw new PipelineError(`unknown time zone: ${name.slice(0, 64)}`);
  }
  const periods: Period[] = [];
  return {
    isUtc: false,
    offsetAt(time) {
      const index = periods.findIndex(({ start, end }) => start <= time && time < end);
      const period = periods[index] ?? periodAt(at(time), time);
      if (index !== 0) {
        if (index > 0) periods.splice(index, 1);
        periods.unshift(period);
        periods.length = Math.min(periods.length, MAX_PERIODS);
      }
      return period.offset;
    },
  };
}

function periodAt(local: Temporal.ZonedDateTime, time: number): Period {
  const next = local.getTimeZoneTransition("next");
  // A change at this very time is the beginning of the period.
  const previous = local.add({ milliseconds: 1 }).getTimeZoneTransition("previous");
  return {
    start: Math.min(previous?.epochMilliseconds ?? Number.NEGATIVE_INFINITY, time),
    end: next?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offset: local.offsetNanoseconds / 1_000_000,
  };
}

/**
 * Returns the time in UTC of a local time, in ms. A time that occurs twice, when clocks are set back, is the first one;
 * one that is skipped, when they are set forward, is as much later as the skipped period is long.
 */
export function toUtc(localTime: number, zone: TimeZone): number {
  if (zone.isUtc) return localTime;
  const before = zone.offsetAt(localTime - 24 * HOUR_MS);
  const after = zone.offsetAt(localTime + 24 * HOUR_MS);
  const first = localTime - before;
  if (before === after || zone.offsetAt(first) === before) return first;
  const second = localTime - after;
  return zone.offsetAt(second) === after ? second : first;
}
