import {
  calendarTime,
  DAY_MS,
  dayOfYear,
  daysInMonth,
  isoWeek,
  isoWeekday,
  MINUTE_MS,
  timeOf,
  timeOfIsoWeek,
  weekday,
  weekOfYear,
} from "./calendar.ts";
import { PipelineError } from "./pipelineError.ts";
import { parseZoneText } from "./zoneText.ts";

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Splits a format into texts and specifiers such as `%Y`. */
function tokensOf(format: string, specifiers: string): string[] {
  const tokens = format.match(/%[\s\S]?|[^%]+/g) ?? [];
  for (const token of tokens) {
    if (token === "%") throw new PipelineError("a format of a date ends with a single %");
    if (token.startsWith("%") && token !== "%%" && !specifiers.includes(token.slice(1))) {
      throw new PipelineError(`a format of a date has the unknown specifier ${token}`);
    }
  }
  return tokens;
}

/** Formats a local time with its offset from UTC, both in ms. */
type FormatDate = (time: number, offset: number) => string;

function padded(number: number, width: number): string {
  if (number < 0 || number > 9_999) {
    throw new PipelineError(`a date cannot be formatted: ${number} is not between 0 and 9999`);
  }
  return String(number).padStart(width, "0");
}

function offsetText(offset: number): string {
  const minutes = Math.trunc(Math.abs(offset) / MINUTE_MS);
  return `${offset < 0 ? "-" : "+"}${padded(Math.trunc(minutes / 60), 2)}${padded(minutes % 60, 2)}`;
}

const FORMATS: Readonly<Record<string, FormatDate>> = {
  "%b": (time) => (MONTHS[calendarTime(time).month - 1] ?? "").slice(0, 3),
  "%B": (time) => MONTHS[calendarTime(time).month - 1] ?? "",
  "%d": (time) => padded(calendarTime(time).day, 2),
  "%G": (time) => padded(isoWeek(time).year, 4),
  "%H": (time) => padded(calendarTime(time).hour, 2),
  "%j": (time) => padded(dayOfYear(time), 3),
  "%L": (time) => padded(calendarTime(time).millisecond, 3),
  "%m": (time) => padded(calendarTime(time).month, 2),
  "%M": (time) => padded(calendarTime(time).minute, 2),
  "%S": (time) => padded(calendarTime(time).second, 2),
  "%u": (time) => String(isoWeekday(time)),
  "%U": (time) => padded(weekOfYear(time), 2),
  "%V": (time) => padded(isoWeek(time).week, 2),
  "%w": (time) => String(weekday(time) + 1),
  "%Y": (time) => padded(calendarTime(time).year, 4),
  "%z": (_, offset) => offsetText(offset),
  "%Z": (_, offset) => String(Math.trunc(offset / MINUTE_MS)),
  "%%": () => "%",
};

/** Compiles a format of `$dateToString`. Throws for unknown specifiers. */
export function compileDateFormat(format: string): FormatDate {
  const parts = tokensOf(format, "bBdGHjLmMSuUVwYzZ").map(
    (token): FormatDate => FORMATS[token] ?? (() => token),
  );
  return (time, offset) => parts.map((part) => part(time, offset)).join("");
}

/** A local time in ms, and its offset from UTC if the text has one. */
export interface ParsedDate {
  time: number;
  offset: number | undefined;
}

/** Parses a date in one format. Returns undefined if the text does not have it or is no date. */
type ParseDate = (text: string) => ParsedDate | undefined;

/** What specifiers of `$dateFromString` match. Numbers may have fewer digits. */
const PATTERNS: Readonly<Record<string, string>> = {
  "%b": "[A-Za-z]{3}",
  "%B": "[A-Za-z]{3,9}",
  "%d": "\\d{1,2}",
  "%G": "\\d{1,4}",
  "%H": "\\d{1,2}",
  "%j": "\\d{1,3}",
  "%L": "\\d{1,3}",
  "%m": "\\d{1,2}",
  "%M": "\\d{1,2}",
  "%S": "\\d{1,2}",
  "%u": "\\d",
  "%V": "\\d{1,2}",
  "%Y": "\\d{1,4}",
  "%z": "\\s*(?:[A-Za-z]{1,5}(?:[+-]\\d{2}(?::?\\d{2})?)?|[+-]\\d{2}(?::?\\d{2})?)",
  "%Z": "[+-]?\\d{1,4}",
};

/** Compiles a format of `$dateFromString`. Throws for unknown specifiers. */
export function compileDateParser(format: string): ParseDate {
  const tokens = tokensOf(format, "bBdGHjLmMSuVYzZ");
  const source = tokens.map((token) => {
    const pattern = PATTERNS[token];
    return pattern === undefined ? escapePattern(token === "%%" ? "%" : token) : `(${pattern})`;
  });
  const regex = new RegExp(`^${source.join("")}$`);
  const specifiers = tokens.filter((token) => PATTERNS[token] !== undefined);
  return (text) => {
    const match = regex.exec(text);
    if (!match) return undefined;
    const parts = new Map(specifiers.map((specifier, i) => [specifier, match[i + 1] ?? ""]));
    return toParsedDate(parts);
  };
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}

function toParsedDate(parts: ReadonlyMap<string, string>): ParsedDate | undefined {
  const number = (specifier: string) => {
    const text = parts.get(specifier);
    return text === undefined ? undefined : Number(text);
  };
  const name = parts.get("%b") ?? parts.get("%B");
  const month = name === undefined ? number("%m") : monthNumber(name);
  const day = dayOf(parts, number, month);
  const time = timeOfDay({
    hour: number("%H") ?? 0,
    minute: number("%M") ?? 0,
    second: number("%S") ?? 0,
    // The digits are those after a point: 8 is 800 ms.
    millisecond: Number((parts.get("%L") ?? "").padEnd(3, "0")),
  });
  if (day === undefined || time === undefined) return undefined;
  const zone = parts.get("%z");
  const minutes = number("%Z");
  const offset = zone === undefined ? undefined : parseZoneText(zone.trim());
  if (zone !== undefined && offset === undefined) return undefined;
  return { time: day + time, offset: minutes === undefined ? offset : minutes * MINUTE_MS };
}

/** Returns the time at which the day begins: of a calendar date, an ISO week date, or a year and its day. */
function dayOf(
  parts: ReadonlyMap<string, string>,
  number: (specifier: string) => number | undefined,
  month: number | undefined,
): number | undefined {
  const [year, isoYear, yearDay] = [number("%Y"), number("%G"), number("%j")];
  const isIso = ["%G", "%V", "%u"].some((specifier) => parts.has(specifier));
  const isCalendar = month !== undefined || parts.has("%d") || year !== undefined;
  if (isIso) {
    const [week, weekDay] = [number("%V") ?? 1, number("%u") ?? 1];
    if (isCalendar || isoYear === undefined || week < 1 || week > 53 || weekDay < 1 || weekDay > 7) {
      return undefined;
    }
    return timeOfIsoWeek(isoYear, week, weekDay);
  }
  if (year === undefined) return undefined;
  if (yearDay !== undefined) {
    return yearDay < 1 || yearDay > 366 ? undefined : timeOf({ year }) + (yearDay - 1) * DAY_MS;
  }
  return calendarDay(year, month, number("%d"));
}

/** Returns the time at which a day begins; undefined if there is no such day. */
export function calendarDay(
  year: number,
  month: number | undefined,
  day: number | undefined,
): number | undefined {
  if (month === undefined || day === undefined || month < 1 || month > 12) return undefined;
  return day < 1 || day > daysInMonth(year, month) ? undefined : timeOf({ year, month, day });
}

/** Returns a time of a day in ms; undefined if there is none. */
export function timeOfDay(time: {
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
}): number | undefined {
  const { hour, minute, second, millisecond } = time;
  if (hour > 24 || minute > 59 || second > 59 || (hour === 24 && minute + second + millisecond > 0))
    return undefined;
  return timeOf({ year: 1970, hour, minute, second, millisecond });
}

/** Returns the number of a month by its English name or the first three letters of it. */
export function monthNumber(name: string): number | undefined {
  const lower = name.toLowerCase();
  const index = MONTHS.findIndex((month) => {
    const known = month.toLowerCase();
    return lower === known || lower === known.slice(0, 3) || (lower === "sept" && known === "september");
  });
  return index < 0 ? undefined : index + 1;
}
