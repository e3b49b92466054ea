import { calendarDay, monthNumber, type ParsedDate, timeOfDay } from "./dateFormats.ts";
import { parseZoneText } from "./zoneText.ts";

interface DatePattern {
  pattern: RegExp;
  /** Positions of year, month and day among the groups. */
  groups: readonly [number, number, number];
}

const MONTH = "([A-Za-z]{3,9})\\.?";
const DAY = "(\\d{1,2})(?:st|nd|rd|th)?";

/** The forms in which a text may begin with a date. Those with slashes have the month first. */
const DATES: readonly DatePattern[] = [
  { pattern: /^(\d{4})-(\d{1,2})-(\d{1,2})/, groups: [1, 2, 3] },
  { pattern: /^(\d{4})\/(\d{1,2})\/(\d{1,2})/, groups: [1, 2, 3] },
  { pattern: /^(\d{4})(\d{2})(\d{2})(?!\d)/, groups: [1, 2, 3] },
  { pattern: /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})(?!\d)/, groups: [3, 1, 2] },
  { pattern: /^(\d{1,2})[-.](\d{1,2})[-.](\d{4})(?!\d)/, groups: [3, 2, 1] },
  { pattern: new RegExp(`^(\\d{4})[- ]${MONTH}[- ]${DAY}`), groups: [1, 2, 3] },
  { pattern: new RegExp(`^${DAY}[- ]?${MONTH}[-, ]+(\\d{4})(?!\\d)`), groups: [3, 2, 1] },
  { pattern: new RegExp(`^${MONTH}[- ]?${DAY}[-, ]+(\\d{4})(?!\\d)`), groups: [3, 1, 2] },
];
const WEEKDAY = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?\s+/i;
const TIME = /^(\d{1,2})(?::(\d{2})(?:[:.](\d{2})(?:[.,](\d{1,9}))?)?)?\s*([ap]\.?m\.?)?/i;

/**
 * Parses a date in one of the usual forms: ISO 8601, RFC 2822, `July 4th, 2017 11am`, `7/4/2017`, `04-07-2017`. Returns
 * undefined for other texts, and for days and times that do not exist. Never depends on the zone of the process.
 */
export function parseDateText(text: string): ParsedDate | undefined {
  const trimmed = text.trim().replace(WEEKDAY, "");
  for (const { pattern, groups } of DATES) {
    const match = pattern.exec(trimmed);
    if (!match) continue;
    const [year = "", month = "", day = ""] = groups.map((group) => match[group] ?? "");
    const start = calendarDay(fullYear(year), monthOf(month), Number(day));
    const rest = parseRest(trimmed.slice(match[0].length));
    if (start !== undefined && rest) return { time: start + rest.time, offset: rest.offset };
  }
  return undefined;
}

function monthOf(text: string): number | undefined {
  return /^\d/.test(text) ? Number(text) : monthNumber(text);
}

/** Years of two digits are between 1970 and 2069. */
function fullYear(text: string): number {
  const year = Number(text);
  return text.length > 2 ? year : year < 70 ? 2_000 + year : 1_900 + year;
}

/** Parses what follows the date: maybe a time, maybe a zone. */
function parseRest(text: string): ParsedDate | undefined {
  const separated = text.replace(/^(?:T(?=\d)|,?\s+)/i, "");
  if (separated === text && text !== "" && !/^[Z+-]/i.test(text)) return undefined;
  const named = /^(noon|midnight)\b/i.exec(separated);
  if (named?.[1])
    return withZone(named[1].toLowerCase() === "noon" ? 12 * 3_600_000 : 0, separated.slice(named[0].length));
  const match = TIME.exec(separated);
  if (!match) return withZone(0, separated);
  const [all, hour = "", minute, second = "0", fraction = "", half] = match;
  // A number alone is no time.
  if (minute === undefined && half === undefined) return undefined;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0);
  if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)) return undefined;
  const time = timeOfDay({
    hour: hours,
    minute: Number(minute ?? 0),
    second: Number(second),
    millisecond: Number(fraction.slice(0, 3).padEnd(3, "0")),
  });
  return time === undefined ? undefined : withZone(time, separated.slice(all.length));
}

function withZone(time: number, text: string): ParsedDate | undefined {
  const zone = text.trim();
  if (zone === "") return { time, offset: undefined };
  const offset = parseZoneText(zone);
  return offset === undefined ? undefined : { time, offset };
}
