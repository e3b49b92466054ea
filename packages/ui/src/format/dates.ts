const formats = new Map<string, Intl.DateTimeFormat>();

const STYLES = {
  /** A date without time: `Nov 20, 2026`. */
  date: { dateStyle: "medium" },
  /** For cells of tables: `Nov 20, 2026, 9:41:12 AM`. */
  medium: { dateStyle: "medium", timeStyle: "medium" },
  /** With the time zone: `November 20, 2026 at 9:41:12 AM GMT+1`. */
  long: { dateStyle: "long", timeStyle: "long" },
  /** For titles, with the day of the week. */
  full: { dateStyle: "full", timeStyle: "long" },
  /** In UTC, for schedules and charts, whose times are in UTC for everyone. */
  utc: { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" },
  utcDate: { dateStyle: "medium", timeZone: "UTC" },
  utcMonth: { year: "numeric", month: "long", timeZone: "UTC" },
  utcYear: { year: "numeric", timeZone: "UTC" },
  utcWeekday: { weekday: "short", timeZone: "UTC" },
  /** For lines of logs of today: `09:41:12.305`. */
  clock: {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Formats a time, in the time zone of the browser unless the style has one; a text that is no time stays as it is. */
export function formatDate(
  at: Date | string | number,
  language: string,
  style: keyof typeof STYLES = "medium",
): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return String(at);
  const key = `${language} ${style}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat(language, STYLES[style]);
  formats.set(key, known);
  return known.format(time);
}
