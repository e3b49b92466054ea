import { isoTime } from "@purse/protocol";

/** Seconds exceed this in the year 5138, milliseconds since 1973. */
const FIRST_MILLISECONDS = 100_000_000_000;
/** Latest time that Date supports, in seconds. */
const LAST_SECOND = 8_640_000_000_000;
const MAX_TEXT = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The date forms of ISO 8601: calendar, week and ordinal dates with and without hyphens. */
const CALENDAR = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?|(\d{2})(\d{2}))?$/;
const WEEK = /^(\d{4})-?W(\d{2})(?:-?(\d))?$/;
const ORDINAL = /^(\d{4})-?(\d{3})$/;
/** The time forms of ISO 8601; hours may be followed by minutes, seconds and a fraction. */
const TIME = /^(\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d+))?)?)?$/;
const ZONE = /(?:Z|([+-])(\d{2})(?::?(\d{2}))?)$/i;
/** The largest offset of a time zone. */
const MAX_OFFSET_MINUTES = 14 * 60;
/** The times of day, time zones and comments of other formats, and what remains is the date. */
const OTHER =
  /^(.*?)(?:\b(\d{1,2}):(\d\d)(?::(\d\d)(\.\d+)?)?(?:\s*([ap])m)?)?\s*(?:(UTC?|GMT|Z)?([+-]\d{2}:?\d{2})?|([ECMP])([SD])T)(?:\s*UTC)?\s*(?:\([^()]*\))?$/i;
const WEEKDAY = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s/i;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH_NAME =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/i;
/** Hours before UTC of the standard times with a letter. */
const ZONES: Readonly<Record<string, number>> = { E: 5, C: 6, M: 7, P: 8 };

/**
 * Parses a time: ISO 8601, another format that Date parses, seconds or milliseconds since the epoch. Times without a
 * time zone are in UTC. Text of four to eight digits is an ISO date if it can be one. Returns whole seconds; undefined
 * if it is not a time, or if it does not say which number is the month. Only slashes have the month first.
 */
export function parseTime(value: unknown): number | undefined {
  const seconds = typeof value === "string" ? parseText(withPlus(value.trim())) : parseNumber(value);
  return seconds !== undefined && Math.abs(seconds) <= LAST_SECOND ? Math.floor(seconds) : undefined;
}

/** A plus that a client has not encoded is a space in a query string. */
function withPlus(text: string): string {
  return text.replace(/(T[\d:.]{5,}) (\d{2}:?\d{2})$/i, "$1+$2");
}

function parseNumber(value: unknown): number | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return value < FIRST_MILLISECONDS ? value : value / 1000;
}

function parseText(text: string): number | undefined {
  if (text.length > MAX_TEXT) return undefined;
  if (/^\d{1,13}$/.test(text) && !/^(\d{4}|\d{7,8})$/.test(text)) return parseNumber(Number(text));
  if (/^\d/.test(text) && /^\d{4}(-|W|\d{2,4}(T|$)|$|T)/i.test(text)) {
    const iso = parseIso(text);
    // Other formats can begin with a valid date, but must not replace an invalid one.
    if (iso !== undefined || parseDate(text.split(/[T ]/i, 1)[0] ?? "") === undefined) return iso;
  }
  const ms = YEAR_OF_SIX_DIGITS.test(text) ? isoTime(text) : parseOther(text);
  return ms === undefined ? undefined : ms / 1000;
}

const YEAR_OF_SIX_DIGITS = /^[+-]\d{6}-/;

/**
 * Parses another format. It is not left to Date, which takes days that the month does not have, ignores numbers that it
 * cannot place, and reads wrong minutes and time zones as none.
 */
function parseOther(text: string): number | undefined {
  const match = OTHER.exec(text.replace(/\s+/g, " ").replace(WEEKDAY, ""));
  const [, date = "", hours, minutes, seconds = "0", fraction = "0", half, , offset, letter, season] =
    match ?? [];
  const day = dayOf(date.replace(/[\s,]+$/, "").replace(/T$/i, ""));
  if (day === undefined || (hours === undefined && offset !== undefined)) return undefined;
  const hour = half === undefined ? hours : hourOf(Number(hours), half);
  const zone = letter
    ? -((ZONES[letter.toUpperCase()] ?? 0) - (season?.toUpperCase() === "D" ? 1 : 0)) * HOUR_MS
    : offsetMs(ZONE.exec(offset ?? ""));
  const clock = parseClock(
    `${String(hour ?? 0).padStart(2, "0")}:${minutes ?? "00"}:${seconds.padStart(2, "0")}`,
  );
  if (clock === undefined || zone === undefined) return undefined;
  return day + clock + Number(fraction) * 1000 - zone;
}

/** The hour of a clock with two halves of a day, of 0 to 12; an invalid one for others. */
function hourOf(hours: number, half: string): number {
  if (hours > 12) return Number.NaN;
  return (hours % 12) + (half.toLowerCase() === "p" ? 12 : 0);
}

/** Start of a day: with the name of the month, the year first, or the month first and slashes. */
function dayOf(text: string): number | undefined {
  const parts = text.split(/[\s,./-]+/);
  const month = parts.findIndex((part) => MONTH_NAME.test(part));
  if (month >= 0) {
    const name = MONTHS.indexOf((parts[month] ?? "").slice(0, 3).toLowerCase()) + 1;
    const [first = "", second, ...more] = parts.toSpliced(month, 1);
    if (more.length > 0) return undefined;
    if (second === undefined) return first.length === 4 ? dayIn(first, name, "1") : undefined;
    return first.length > 2 && month > 0 && /^\d+$/.test(first)
      ? dayIn(first, name, second)
      : dayIn(second, name, first);
  }
  const [, year = "", month1 = "", day1 = "1"] =
    /^(\d{4})[-./ ](\d{1,2})(?:[-./ ](\d{1,2}))?$/.exec(text) ?? [];
  if (year !== "") return dayIn(year, Number(month1), day1);
  const [, month2 = "", day2 = "", year2 = ""] = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})$/.exec(text) ?? [];
  return dayIn(year2, Number(month2), day2);
}

/** Start of a day, whose year may have two digits, in UTC; undefined if it does not exist. */
function dayIn(year: string, month: number, day: string): number | undefined {
  if (!/^(\d{2}|\d{4})$/.test(year) || !/^\d{1,2}(?:st|nd|rd|th)?$/i.test(day)) return undefined;
  const full = year.length === 4 ? year : String(Number(year) + (Number(year) < 50 ? 2000 : 1900));
  return parseDate(
    `${full}-${String(month).padStart(2, "0")}-${String(Number.parseInt(day, 10)).padStart(2, "0")}`,
  );
}

function parseIso(text: string): number | undefined {
  const [date = "", clock] = text.split(/[T ]/i, 2);
  if (text.split(/[T ]/i).length > 2) return undefined;
  const day = parseDate(date);
  if (day === undefined) return undefined;
  if (clock === undefined) return day / 1000;
  const zone = ZONE.exec(clock);
  const ms = parseClock(zone ? clock.slice(0, zone.index) : clock);
  const offset = offsetMs(zone);
  return ms === undefined || offset === undefined ? undefined : (day + ms - offset) / 1000;
}

/** Start of a day in UTC, in ms since the epoch. */
function parseDate(text: string): number | undefined {
  const [calendar, week, ordinal] = [CALENDAR.exec(text), WEEK.exec(text), ORDINAL.exec(text)];
  if (calendar) {
    const [, year, month = calendar[4] ?? "01", day = calendar[5] ?? "01"] = calendar;
    const ms = Date.UTC(Number(year), Number(month) - 1, Number(day));
    return new Date(ms).toISOString().startsWith(`${year}-${month}-${day}`) ? ms : undefined;
  }
  const year = Number((week ?? ordinal)?.[1]);
  const start = Date.UTC(year, 0, 1);
  const end = Date.UTC(year + 1, 0, 1);
  if (ordinal) {
    const ms = start + (Number(ordinal[2]) - 1) * DAY_MS;
    return ms >= start && ms < end ? ms : undefined;
  }
  if (!week) return undefined;
  const [number, weekday] = [Number(week[2]), Number(week[3] ?? 1)];
  if (number < 1 || number > 53 || weekday < 1 || weekday > 7) return undefined;
  // The first week of a year contains January 4 and begins on a Monday.
  const fourth = start + 3 * DAY_MS;
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS;
  return monday + ((number - 1) * 7 + weekday - 1) * DAY_MS;
}

/** Time of day in ms. */
function parseClock(text: string): number | undefined {
  const match = TIME.exec(text);
  if (!match) return undefined;
  const [hours, minutes, seconds] = [match[1], match[2], match[3]].map((part) => Number(part ?? 0));
  const fraction = Number(`0.${match[4] ?? 0}`);
  if (hours === undefined || minutes === undefined || seconds === undefined) return undefined;
  const ms = ((hours * 60 + minutes) * 60 + seconds + fraction) * 1000;
  return minutes < 60 && seconds < 60 && ms <= DAY_MS ? ms : undefined;
}

/** Offset of a time zone from UTC in ms; undefined if no zone has it. */
function offsetMs(zone: RegExpExecArray | null): number | undefined {
  const [, sign, hours = "0", minutes = "0"] = zone ?? [];
  const total = Number(hours) * 60 + Number(minutes);
  if (Number(minutes) > 59 || total > MAX_OFFSET_MINUTES) return undefined;
  return (sign === "-" ? -1 : 1) * total * 60_000;
}
