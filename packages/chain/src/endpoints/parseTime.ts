/** Seconds exceed this in the year 5138, milliseconds since 1973. */
const FIRST_MILLISECONDS = 100_000_000_000;
/** Latest time that Date supports, in seconds. */
const LAST_SECOND = 8_640_000_000_000;
const MAX_TEXT = 1_000;
const DAY_MS = 86_400_000;

/** The date forms of ISO 8601: calendar, week and ordinal dates with and without hyphens. */
const CALENDAR = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?|(\d{2})(\d{2}))?$/;
const WEEK = /^(\d{4})-?W(\d{2})(?:-?(\d))?$/;
const ORDINAL = /^(\d{4})-?(\d{3})$/;
/** The time forms of ISO 8601; hours may be followed by minutes, seconds and a fraction. */
const TIME = /^(\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d+))?)?)?$/;
const ZONE = /(?:Z|([+-])(\d{2})(?::?(\d{2}))?)$/i;
/** The largest offset of a time zone. */
const MAX_OFFSET_MINUTES = 14 * 60;
/** A time zone at the end of another format. */
const NAMED_ZONE = /(?:\dZ|\b(?:UTC?|GMT|[ECMP][SD]T)|[+-]\d{2}:?\d{2})\s*(?:\([^)]*\))?$/i;

/**
 * Parses a time: ISO 8601, another format that Date parses, seconds or milliseconds since the epoch. Times without a
 * time zone are in UTC. Text of four to eight digits is an ISO date if it can be one. Returns whole seconds; undefined
 * if it is not a time.
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
  if (/^\d{1,15}$/.test(text) && !/^(\d{4}|\d{7,8})$/.test(text)) return parseNumber(Number(text));
  if (/^\d/.test(text) && /^\d{4}(-|W|\d{2,4}(T|$)|$|T)/i.test(text)) {
    const iso = parseIso(text);
    // Other formats can begin with a valid date, but must not replace an invalid one.
    if (iso !== undefined || parseDate(text.split(/[T ]/i, 1)[0] ?? "") === undefined) return iso;
  }
  return YEAR_OF_SIX_DIGITS.test(text) ? secondsOf(Date.parse(text)) : parseOther(text);
}

const YEAR_OF_SIX_DIGITS = /^[+-]\d{6}-\d{2}-\d{2}T/;

function secondsOf(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : ms / 1000;
}

/** A time of day or a time zone in another format. */
const CLOCK_OR_ZONE =
  /\d+:[\d:.]*(?:\s*[ap]m\b)?|\b\d{1,2}\s*[ap]m\b|(?:GMT|UTC?|\s)[+-]\d{2,4}\b|\([^)]*\)/gi;
/** What other formats consist of: numbers, months, days of the week, "GMT" and the like. */
const WORDS =
  /^(?:\d+(?:st|nd|rd|th|t)?|jan\w*|feb\w*|mar\w*|apr\w*|may|june?|july?|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*|(?:mon|tue|wed|thu|fri|sat|sun)\w*|utc?|gmt|[ecmp][sd]t|[ap]m|t|z)$/i;

/** Parses a format that only Date knows. Date also takes other words and days that the month does not have. */
function parseOther(text: string): number | undefined {
  const date = text.replace(CLOCK_OR_ZONE, " ");
  const words = date.match(/[^\s,./-]+/g) ?? [];
  if (!words.every((word) => WORDS.test(word))) return undefined;
  const numbers = words.filter((word) => /^\d/.test(word)).map((word) => Number.parseInt(word, 10));
  if (numbers.length < 2 && numbers[0] !== undefined && numbers[0] < 1000) return undefined;
  if (rollsOver(date, numbers)) return undefined;
  return secondsOf(Date.parse(NAMED_ZONE.test(text) ? text : `${text} UTC`));
}

/** Whether Date takes the 29th, 30th or 31st as a day of the next month. */
function rollsOver(date: string, numbers: readonly number[]): boolean {
  const wall = new Date(Date.parse(`${date} UTC`));
  const year = wall.getUTCFullYear();
  const yearAt = numbers.includes(year) ? numbers.indexOf(year) : numbers.lastIndexOf(year % 100);
  return wall.getUTCDate() <= 3 && numbers.some((number, i) => i !== yearAt && number >= 29 && number <= 31);
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
