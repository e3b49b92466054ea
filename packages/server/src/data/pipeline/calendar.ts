/*
 * Calendar fields of times. Times are local ones in ms: what the clock of a zone shows, counted as if it were UTC. The
 * calendar is the Gregorian one for all years.
 */

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const WEEK_MS = 7 * DAY_MS;

export interface CalendarTime {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
}

export function calendarTime(time: number): CalendarTime {
  const date = new Date(time);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
  };
}

/** Returns the local time of calendar fields; fields beyond their range count on: month 13 is the next January. */
export function timeOf({
  year,
  month = 1,
  day = 1,
  hour = 0,
  minute = 0,
  second = 0,
  millisecond = 0,
}: Partial<CalendarTime> & { year: number }): number {
  // Date.UTC takes years below 100 for those of the twentieth century.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() + hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS + millisecond;
}

export function daysInMonth(year: number, month: number): number {
  return new Date(timeOf({ year, month: month + 1, day: 0 })).getUTCDate();
}

/** The day of the week: 0 (Sunday) to 6. */
export function weekday(time: number): number {
  return new Date(time).getUTCDay();
}

/** The day of the week: 1 (Monday) to 7. */
export function isoWeekday(time: number): number {
  return weekday(time) || 7;
}

/** 1 to 366. */
export function dayOfYear(time: number): number {
  const start = timeOf({ year: new Date(time).getUTCFullYear() });
  return Math.floor((time - start) / DAY_MS) + 1;
}

/** The week of the year: 0 to 53. Weeks begin on Sundays; days before the first Sunday are in week 0. */
export function weekOfYear(time: number): number {
  return Math.floor((dayOfYear(time) + 6 - weekday(time)) / 7);
}

/** The year and week of ISO 8601: weeks begin on Mondays, and week 1 has the first Thursday of its year. */
export function isoWeek(time: number): { year: number; week: number } {
  const thursday = time + (4 - isoWeekday(time)) * DAY_MS;
  return {
    year: new Date(thursday).getUTCFullYear(),
    week: Math.floor((dayOfYear(thursday) - 1) / 7) + 1,
  };
}

/** The local time at which a day of an ISO week begins. */
export function timeOfIsoWeek(year: number, week: number, isoDay: number): number {
  const january4 = timeOf({ year, day: 4 });
  return january4 + (1 - isoWeekday(january4)) * DAY_MS + (week - 1) * WEEK_MS + (isoDay - 1) * DAY_MS;
}

/** Adds months; a day that the month does not have is its last one. */
export function addMonths(time: number, months: number): number {
  const fields = calendarTime(time);
  const month = fields.year * 12 + fields.month - 1 + months;
  const year = Math.floor(month / 12);
  const monthOfYear = month - year * 12 + 1;
  return timeOf({
    ...fields,
    year,
    month: monthOfYear,
    day: Math.min(fields.day, daysInMonth(year, monthOfYear)),
  });
}
