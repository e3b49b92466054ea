import { isJsonObject } from "@purse/protocol";
import {
  addMonths,
  calendarTime,
  DAY_MS,
  dayOfYear,
  HOUR_MS,
  isoWeek,
  isoWeekday,
  MINUTE_MS,
  SECOND_MS,
  timeOf,
  timeOfIsoWeek,
  WEEK_MS,
  weekday,
  weekOfYear,
} from "../calendar.ts";
import { compileDateFormat, compileDateParser } from "../dateFormats.ts";
import { parseDateText } from "../dateTexts.ts";
import {
  argumentsOf,
  type Evaluate,
  MISSING,
  type NamedArguments,
  namedArguments,
  type Operator,
  type Operators,
  wrongType,
} from "../evaluation.ts";
import { toDouble } from "../numbers.ts";
import { PipelineError } from "../pipelineError.ts";
import { parseTimeZone, type TimeZone, toUtc, UTC } from "../timeZones.ts";
import { Document, isNullish, isNumeric, isTrue, type Value } from "../values.ts";
import { toDate } from "./arithmetic.ts";
import { memoizeLast } from "./strings.ts";

function toTime(value: Value, name: string): number {
  if (value instanceof Date) return value.getTime();
  throw wrongType(name, "a date", value);
}

function toTextArgument(value: Value, name: string, key: string): string {
  if (typeof value === "string") return value;
  throw wrongType(`${key} of ${name}`, "a string", value);
}

function integerOf(value: Value, name: string, key: string): number {
  const number = isNumeric(value) ? toDouble(value) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw wrongType(`${key} of ${name}`, "a whole number", value);
}

/** Compiles the argument `timezone`: a function that returns null if the zone is null or missing. */
function zoneOf(named: NamedArguments | undefined, name: string): (document: Document) => TimeZone | null {
  if (!named?.has("timezone")) return () => UTC;
  const evaluate = named.get("timezone");
  const parse = memoizeLast(parseTimeZone);
  return (document) => {
    const zone = evaluate(document);
    return isNullish(zone) ? null : parse(toTextArgument(zone, name, "timezone"), "");
  };
}

/** An operator on the fields of a date, which stands alone, in a list, or with a time zone. */
function part(compute: (localTime: number) => number): Operator {
  return (argument, compiler, name) => {
    const isNamed = isJsonObject(argument) && "date" in argument;
    const named = isNamed ? namedArguments(argument, compiler, name, ["date"], ["timezone"]) : undefined;
    const [date = MISSING] = named ? [named.get("date")] : argumentsOf(argument, compiler, name, 1);
    const zoneFor = zoneOf(named, name);
    return (document) => {
      const value = date(document);
      const zone = zoneFor(document);
      if (isNullish(value) || !zone) return null;
      const time = toTime(value, name);
      return compute(time + zone.offsetAt(time));
    };
  };
}

const DEFAULT_FORMAT = "%Y-%m-%dT%H:%M:%S.%L";

const dateToString: Operator = (argument, compiler, name) => {
  const named = namedArguments(argument, compiler, name, ["date"], ["format", "timezone", "onNull"]);
  const [date, format] = [named.get("date"), named.get("format")];
  const onNull: Evaluate = named.has("onNull") ? named.get("onNull") : () => null;
  const zoneFor = zoneOf(named, name);
  const compile = memoizeLast(compileDateFormat);
  return (document) => {
    const value = date(document);
    const zone = zoneFor(document);
    if (isNullish(value)) return onNull(document);
    if (!zone) return null;
    const pattern = named.has("format") ? format(document) : `${DEFAULT_FORMAT}${zone.isUtc ? "Z" : ""}`;
    if (isNullish(pattern)) return null;
    const time = toTime(value, name);
    const offset = zone.offsetAt(time);
    return compile(toTextArgument(pattern, name, "format"), "")(time + offset, offset);
  };
};

const dateFromString: Operator = (argument, compiler, name) => {
  const named = namedArguments(
    argument,
    compiler,
    name,
    ["dateString"],
    ["format", "timezone", "onError", "onNull"],
  );
  const [text, format, onError, onNull] = [
    named.get("dateString"),
    named.get("format"),
    named.get("onError"),
    named.get("onNull"),
  ];
  const zoneFor = zoneOf(named, name);
  const compile = memoizeLast(compileDateParser);
  return (document) => {
    const value = text(document);
    const zone = zoneFor(document);
    const pattern = format(document);
    if (isNullish(value)) return named.has("onNull") ? onNull(document) : null;
    if (!zone || (named.has("format") && isNullish(pattern))) return null;
    const parse = isNullish(pattern) ? parseDateText : compile(toTextArgument(pattern, name, "format"), "");
    const date = typeof value === "string" ? readDate(value, parse, zone) : undefined;
    if (date) return date;
    if (named.has("onError")) return onError(document);
    throw typeof value === "string"
      ? new PipelineError(`$dateFromString cannot read the date '${value.slice(0, 100)}'`)
      : wrongType(name, "a string", value);
  };
};

/** A text with a zone of its own takes none beside it, other than UTC. */
function readDate(text: string, parse: typeof parseDateText, zone: TimeZone): Date | undefined {
  const parsed = parse(text);
  if (!parsed) return undefined;
  if (parsed.offset === undefined) return toDate(toUtc(parsed.time, zone));
  return zone.isUtc ? toDate(parsed.time - parsed.offset) : undefined;
}

const ISO_PARTS = ["isoWeekYear", "isoWeek", "isoDayOfWeek"];
const TIME_PARTS = ["hour", "minute", "second", "millisecond"];

const dateFromParts: Operator = (argument, compiler, name) => {
  const isIso = isJsonObject(argument) && "isoWeekYear" in argument;
  const dayParts = isIso ? ISO_PARTS : ["year", "month", "day"];
  const [yearPart = "", ...otherParts] = dayParts;
  const named = namedArguments(
    argument,
    compiler,
    name,
    [yearPart],
    [...otherParts, ...TIME_PARTS, "timezone"],
  );
  const zoneFor = zoneOf(named, name);
  const parts = [...dayParts, ...TIME_PARTS].map((key) => ({
    key,
    evaluate: named.get(key),
    isGiven: named.has(key),
  }));
  return (document) => {
    const zone = zoneFor(document);
    const numbers: number[] = [];
    for (const { key, evaluate, isGiven } of parts) {
      const value = evaluate(document);
      if (isGiven && isNullish(value)) return null;
      numbers.push(isGiven ? integerOf(value, name, key) : dayParts.includes(key) ? 1 : 0);
    }
    if (!zone) return null;
    const [year = 1, second = 1, third = 1, hour, minute, seconds, millisecond] = numbers;
    if (year < (isIso ? 0 : 1) || year > 9_999) {
      throw new PipelineError(`${yearPart} of $dateFromParts is between 1 and 9999`);
    }
    const time = timeOf({ year: 1970, hour, minute, second: seconds, millisecond });
    const day = isIso ? timeOfIsoWeek(year, second, third) : timeOf({ year, month: second, day: third });
    return toDate(toUtc(day + time, zone));
  };
};

const dateToParts: Operator = (argument, compiler, name) => {
  const named = namedArguments(argument, compiler, name, ["date"], ["timezone", "iso8601"]);
  const [date, iso] = [named.get("date"), named.get("iso8601")];
  const zoneFor = zoneOf(named, name);
  return (document) => {
    const value = date(document);
    const zone = zoneFor(document);
    const isIso = iso(document);
    if (isNullish(value) || !zone || (named.has("iso8601") && isNullish(isIso))) return null;
    const utc = toTime(value, name);
    const time = utc + zone.offsetAt(utc);
    const { year, month, day, ...timeParts } = calendarTime(time);
    if (!isTrue(isIso)) return Object.assign(new Document(), { year, month, day, ...timeParts });
    const week = isoWeek(time);
    return Object.assign(new Document(), {
      isoWeekYear: week.year,
      isoWeek: week.week,
      isoDayOfWeek: isoWeekday(time),
      ...timeParts,
    });
  };
};

/** Units of a fixed length, in ms. */
const LENGTHS: Readonly<Record<string, number>> = {
  millisecond: 1,
  second: SECOND_MS,
  minute: MINUTE_MS,
  hour: HOUR_MS,
};
/** Units that are as long as the clock of a zone has them, in ms. */
const DAYS: Readonly<Record<string, number>> = { day: DAY_MS, week: WEEK_MS };
const MONTHS: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

/** Checks a unit of time. */
export function toUnit(value: Value, name: string): string {
  const unit = toTextArgument(value, name, "unit");
  if (Object.hasOwn(LENGTHS, unit) || Object.hasOwn(DAYS, unit) || Object.hasOwn(MONTHS, unit)) return unit;
  throw new PipelineError(`unknown unit of time: ${unit.slice(0, 64)}`);
}

/** Returns the length in ms of a unit that has always the same; undefined for months and longer ones. */
export function lengthOf(unit: string): number | undefined {
  return LENGTHS[unit] ?? DAYS[unit];
}

/** Adds units of time: days and longer ones in the local time of a zone. */
export function addTo(time: number, unit: string, amount: number, zone: TimeZone): number {
  const length = LENGTHS[unit];
  if (length !== undefined) return time + amount * length;
  const local = time + zone.offsetAt(time);
  const days = DAYS[unit];
  return toUtc(
    days === undefined ? addMonths(local, amount * (MONTHS[unit] ?? 1)) : local + amount * days,
    zone,
  );
}

/** `$dateAdd` and `$dateSubtract`. */
function addition(sign: 1 | -1): Operator {
  return (argument, compiler, name) => {
    const named = namedArguments(argument, compiler, name, ["startDate", "unit", "amount"], ["timezone"]);
    const [date, unit, amount] = [named.get("startDate"), named.get("unit"), named.get("amount")];
    const zoneFor = zoneOf(named, name);
    return (document) => {
      const [start, unitValue, count] = [date(document), unit(document), amount(document)];
      const zone = zoneFor(document);
      if (isNullish(start) || isNullish(unitValue) || isNullish(count) || !zone) return null;
      const units = integerOf(count, name, "amount") * sign;
      return toDate(addTo(toTime(start, name), toUnit(unitValue, name), units, zone));
    };
  };
}

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/** Parses a day of the week: 1 (Monday) to 7. */
function toWeekday(value: Value, name: string): number {
  const day = toTextArgument(value, name, "startOfWeek").toLowerCase();
  const index = WEEKDAYS.findIndex((known) => day === known || day === known.slice(0, 3));
  if (index < 0) throw new PipelineError(`unknown day of the week: ${day.slice(0, 64)}`);
  return index + 1;
}

/** The number of days since the week has begun. */
function daysIntoWeek(localTime: number, startOfWeek: number): number {
  return (isoWeekday(localTime) - startOfWeek + 7) % 7;
}

const dayNumber = (localTime: number) => Math.floor(localTime / DAY_MS);
const monthNumber = (localTime: number) => {
  const { year, month } = calendarTime(localTime);
  return year * 12 + month - 1;
};

/** The number of boundaries of a unit between two local times. Of weeks, those of their first day. */
function boundariesBetween(start: number, end: number, unit: string, startOfWeek: number): number {
  const months = MONTHS[unit];
  if (months !== undefined) {
    return Math.floor(monthNumber(end) / months) - Math.floor(monthNumber(start) / months);
  }
  const days = dayNumber(end) - dayNumber(start);
  if (unit === "day") return days;
  return (days + daysIntoWeek(start, startOfWeek) - daysIntoWeek(end, startOfWeek)) / 7;
}

const dateDiff: Operator = (argument, compiler, name) => {
  const named = namedArguments(
    argument,
    compiler,
    name,
    ["startDate", "endDate", "unit"],
    ["timezone", "startOfWeek"],
  );
  const [from, to, unit, weekStart] = [
    named.get("startDate"),
    named.get("endDate"),
    named.get("unit"),
    named.get("startOfWeek"),
  ];
  const zoneFor = zoneOf(named, name);
  return (document) => {
    const [startDate, endDate, unitValue] = [from(document), to(document), unit(document)];
    const zone = zoneFor(document);
    const firstDay = named.has("startOfWeek") ? weekStart(document) : "sunday";
    if (isNullish(startDate) || isNullish(endDate) || isNullish(unitValue) || !zone) return null;
    const [start, end] = [toTime(startDate, name), toTime(endDate, name)];
    const units = toUnit(unitValue, name);
    if (units === "week" && isNullish(firstDay)) return null;
    const length = LENGTHS[units];
    const [startOffset, endOffset] = [zone.offsetAt(start), zone.offsetAt(end)];
    const [localStart, localEnd] = [start + startOffset, end + endOffset];
    if (length !== undefined) {
      const passed = Math.floor(localEnd / length) - Math.floor(localStart / length);
      return BigInt(passed + Math.trunc((startOffset - endOffset) / length));
    }
    const startOfWeek = units === "week" ? toWeekday(firstDay, name) : 1;
    return BigInt(boundariesBetween(localStart, localEnd, units, startOfWeek));
  };
};

/** The local time from which periods are counted; a Saturday. */
const REFERENCE = timeOf({ year: 2000 });

function floorTo(value: number, size: number): number {
  return Math.floor(value / size) * size;
}

const dateTrunc: Operator = (argument, compiler, name) => {
  const named = namedArguments(
    argument,
    compiler,
    name,
    ["date", "unit"],
    ["binSize", "timezone", "startOfWeek"],
  );
  const [date, unit, size, weekStart] = [
    named.get("date"),
    named.get("unit"),
    named.get("binSize"),
    named.get("startOfWeek"),
  ];
  const zoneFor = zoneOf(named, name);
  return (document) => {
    const [value, unitValue] = [date(document), unit(document)];
    const zone = zoneFor(document);
    const binSize = named.has("binSize") ? size(document) : 1;
    const firstDay = named.has("startOfWeek") ? weekStart(document) : "sunday";
    if (isNullish(value) || isNullish(unitValue) || isNullish(binSize) || !zone) return null;
    if (unitValue === "week" && isNullish(firstDay)) return null;
    const time = toTime(value, name);
    const units = toUnit(unitValue, name);
    const bin = integerOf(binSize, name, "binSize");
    if (bin <= 0) throw new PipelineError("binSize of $dateTrunc is positive");
    const startOfWeek = units === "week" ? toWeekday(firstDay, name) : 6;
    return toDate(startOfPeriod(time, units, bin, zone, startOfWeek));
  };
};

/** The beginning of the period of `size` units that a time is in. */
function startOfPeriod(
  time: number,
  unit: string,
  size: number,
  zone: TimeZone,
  startOfWeek: number,
): number {
  const length = LENGTHS[unit];
  if (length !== undefined) {
    const reference = REFERENCE - zone.offsetAt(REFERENCE);
    return reference + floorTo(time - reference, size * length);
  }
  const local = time + zone.offsetAt(time);
  const reference = unit === "week" ? REFERENCE + ((startOfWeek - 6 + 7) % 7) * DAY_MS : REFERENCE;
  const units = floorTo(boundariesBetween(reference, local, unit, startOfWeek), size);
  const days = DAYS[unit];
  const start =
    days === undefined ? addMonths(reference, units * (MONTHS[unit] ?? 1)) : reference + units * days;
  return toUtc(start, zone);
}

export const DATES: Operators = {
  $dateAdd: addition(1),
  $dateDiff: dateDiff,
  $dateFromParts: dateFromParts,
  $dateFromString: dateFromString,
  $dateSubtract: addition(-1),
  $dateToParts: dateToParts,
  $dateToString: dateToString,
  $dateTrunc: dateTrunc,
  $dayOfMonth: part((time) => calendarTime(time).day),
  $dayOfWeek: part((time) => weekday(time) + 1),
  $dayOfYear: part(dayOfYear),
  $hour: part((time) => calendarTime(time).hour),
  $isoDayOfWeek: part(isoWeekday),
  $isoWeek: part((time) => isoWeek(time).week),
  $isoWeekYear: part((time) => isoWeek(time).year),
  $millisecond: part((time) => calendarTime(time).millisecond),
  $minute: part((time) => calendarTime(time).minute),
  $month: part((time) => calendarTime(time).month),
  $second: part((time) => calendarTime(time).second),
  $week: part(weekOfYear),
  $year: part((time) => calendarTime(time).year),
};
