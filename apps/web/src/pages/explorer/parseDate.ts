const ISO =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i;
const NUMBERS = /^(\d{1,4})([./-])(\d{1,2})\2(\d{2}|\d{4})$/;
const CHINESE_CHARACTERS = /^(\d{4})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日$/;
const UNITS = ["minute", "hour", "day", "week", "month", "year"] as const;
const DAYS = [0, -1];

/**
 * Reads a date: `2025-01-10`, `10.01.2025`, `1/10/2025` in the order of the language, `Jan 10 2025`, `yesterday`, `3 days ago`; words
 * in the language or in English. Dates are days of the browser's time zone. Undefined for other texts.
 */
export function parseDate(text: string, language: string, now = new Date()): Date | undefined {
  const plain = text.trim().toLowerCase();
  return (
    parseIso(text.trim()) ??
    parseNumbers(plain, language) ??
    parseRelative(plain, [language, "en"], now) ??
    parseMonthName(plain, [language, "en"], now)
  );
}

function parseIso(text: string): Date | undefined {
  const [, year, month, day, time, zone] = ISO.exec(text) ?? [];
  const date = dayOf(year, month, day);
  if (!date || time === undefined) return date;
  const at = new Date(
    `${year}-${month?.padStart(2, "0")}-${day?.padStart(2, "0")}T${time.padStart(5, "0")}${zone?.toUpperCase() ?? ""}`,
  );
  return Number.isNaN(at.getTime()) ? undefined : at;
}

function parseNumbers(text: string, language: string): Date | undefined {
  const [, ...written] = CHINESE_CHARACTERS.exec(text) ?? [];
  if (written.length > 0) return dayOf(...written);
  const [, first = "", separator, second, third = ""] = NUMBERS.exec(text) ?? [];
  if (separator === undefined) return undefined;
  if (first.length === 4) return dayOf(first, second, third);
  if (first.length > 2) return undefined;
  const year = third.length === 2 ? `20${third}` : third;
  // Points separate days from months everywhere.
  const isDayFirst = separator === "." || orderOf(language) === "day";
  return isDayFirst ? dayOf(year, second, first) : dayOf(year, first, second);
}

/** What comes first in dates of a language. */
function orderOf(language: string): string | undefined {
  const parts = new Intl.DateTimeFormat(language).formatToParts();
  return parts.find(({ type }) => type === "day" || type === "month")?.type;
}

function parseRelative(text: string, languages: readonly string[], now: Date): Date | undefined {
  const words = text.replace(/\s+/g, " ");
  const count = Number(/\d{1,5}/.exec(words)?.[0] ?? Number.NaN);
  for (const language of languages) {
    const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
    for (const days of DAYS) {
      if (format.format(days, "day").toLowerCase() !== words) continue;
      return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
    }
    const unit = UNITS.find((each) => count > 0 && format.format(-count, each).toLowerCase() === words);
    if (unit) return before(now, count, unit);
  }
  return undefined;
}

function before(now: Date, count: number, unit: (typeof UNITS)[number]): Date {
  const date = new Date(now);
  if (unit === "minute") date.setMinutes(date.getMinutes() - count);
  if (unit === "hour") date.setHours(date.getHours() - count);
  if (unit === "day") date.setDate(date.getDate() - count);
  if (unit === "week") date.setDate(date.getDate() - 7 * count);
  if (unit === "month") date.setMonth(date.getMonth() - count);
  if (unit === "year") date.setFullYear(date.getFullYear() - count);
  return date;
}

/** Reads a month, a day and perhaps a year, in any order. Without a year, it is the last such day. */
function parseMonthName(text: string, languages: readonly string[], now: Date): Date | undefined {
  const words = text.split(/[\s,.]+|\bde\b|\bof\b/).filter((word) => word !== "");
  const numbers = words
    .filter((word) => /^\d+(st|nd|rd|th|er)?$/.test(word))
    .map((word) => Number.parseInt(word, 10));
  const names = words.filter((word) => !/^\d/.test(word));
  const [name = ""] = names;
  if (names.length !== 1 || name.length < 3 || numbers.length < 1 || numbers.length > 2) return undefined;
  const month = languages.map((language) => monthOf(name, language)).find((found) => found >= 0);
  const year = numbers.find((number) => number >= 1_000);
  const day = numbers.find((number) => number <= 31);
  if (month === undefined || day === undefined || (numbers.length === 2 && year === undefined))
    return undefined;
  const date = dayOf(year ?? now.getFullYear(), month + 1, day);
  return year === undefined && date && date > now ? dayOf(now.getFullYear() - 1, month + 1, day) : date;
}

/** The number of a month from its name or the beginning of it; -1 if it is none. */
function monthOf(name: string, language: string): number {
  const format = new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" });
  return Array.from({ length: 12 }, (_, i) => format.format(Date.UTC(2025, i, 1)).toLowerCase()).findIndex(
    (month) => fold(month).startsWith(fold(name)),
  );
}

function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "");
}

/** Midnight of a day in the browser's time zone; undefined if there is no such day. */
function dayOf(...parts: (string | number | undefined)[]): Date | undefined {
  const [year = Number.NaN, month = Number.NaN, day = Number.NaN] = parts.map((part) => Number(part));
  const date = new Date(year, month - 1, day);
  return date.getFullYear() === year && date.getMonth() === month - 1 && date.getDate() === day
    ? date
    : undefined;
}
