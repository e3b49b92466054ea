import { parseDateText } from "../dateTexts.ts";
import { Decimal128 } from "../decimal128.ts";
import {
  constant,
  type Evaluate,
  namedArguments,
  type Operator,
  type Operators,
  unary,
} from "../evaluation.ts";
import { MAX_INT, MAX_LONG, MIN_INT, MIN_LONG, toDecimal, toDouble } from "../numbers.ts";
import { PipelineError } from "../pipelineError.ts";
import { toUtc, UTC } from "../timeZones.ts";
import { isNullish, isNumeric, isTrue, type Numeric, pointerText, typeName, type Value } from "../values.ts";
import { isoText } from "../wireDocuments.ts";
import { toDate } from "./arithmetic.ts";
import { numberText } from "./strings.ts";

/** A value that cannot be converted; `$convert` replaces it with `onError`. */
class ConversionError extends PipelineError {}

type Convert = (value: Value) => Value;

function unsupported(value: Value, target: string): ConversionError {
  return new ConversionError(`cannot convert ${typeName(value)} to ${target}`);
}

function unreadable(text: string, target: string): ConversionError {
  return new ConversionError(`cannot convert the string '${text.slice(0, 100)}' to ${target}`);
}

function outOfRange(value: Numeric, target: string): ConversionError {
  return new ConversionError(
    `cannot convert ${numberText(value).slice(0, 100)} to ${target}: it is out of range`,
  );
}

/** Converts to a whole number within limits; digits after the point are dropped, but texts must have none. */
function toInteger(value: Value, target: string, min: bigint, max: bigint): bigint {
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "string") {
    if (!/^[+-]?\d+$/.test(value)) throw unreadable(value, target);
    return within(BigInt(value.replace("+", "")), target, min, max);
  }
  if (!isNumeric(value)) throw unsupported(value, target);
  if (typeof value === "bigint") return within(value, target, min, max);
  const truncated = value instanceof Decimal128 ? value.round(0, "trunc") : Math.trunc(value);
  if (truncated instanceof Decimal128) {
    if (!truncated.isFinite || truncated.absolute().compare(LARGEST_LONG) > 0)
      throw outOfRange(value, target);
    return within(truncated.toBigInt(), target, min, max);
  }
  if (!Number.isFinite(truncated)) throw outOfRange(value, target);
  return within(BigInt(truncated), target, min, max);
}

/** More than any long: decimals beyond it may have thousands of digits. */
const LARGEST_LONG = Decimal128.of(10n ** 19n);

function within(value: bigint, target: string, min: bigint, max: bigint): bigint {
  if (value < min || value > max) throw outOfRange(value, target);
  return value;
}

const toInt: Convert = (value) => Number(toInteger(value, "int", BigInt(MIN_INT), BigInt(MAX_INT)));

const toLong: Convert = (value) =>
  value instanceof Date ? BigInt(value.getTime()) : toInteger(value, "long", MIN_LONG, MAX_LONG);

const toDoubleValue: Convert = (value) => {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Date) return value.getTime();
  if (typeof value === "string") {
    const decimal = Decimal128.parse(value);
    if (!decimal) throw unreadable(value, "double");
    // The text itself has more digits than the decimal.
    return decimal.isFinite ? Number(value) : decimal.toNumber();
  }
  if (!isNumeric(value)) throw unsupported(value, "double");
  return toDouble(value);
};

const toDecimalValue: Convert = (value) => {
  if (typeof value === "boolean") return Decimal128.of(value ? 1n : 0n);
  if (value instanceof Date) return Decimal128.of(BigInt(value.getTime()));
  if (typeof value === "string") {
    const decimal = Decimal128.parse(value);
    if (!decimal) throw unreadable(value, "decimal");
    return decimal;
  }
  if (!isNumeric(value)) throw unsupported(value, "decimal");
  return toDecimal(value);
};

const toText: Convert = (value) => {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  if (isNumeric(value)) return numberText(value);
  if (value instanceof Date) return isoText(value);
  const pointer = pointerText(value);
  if (pointer === undefined) throw unsupported(value, "string");
  return pointer;
};

const toDateValue: Convert = (value) => {
  if (value instanceof Date) return value;
  if (isNumeric(value)) {
    const time = Math.trunc(toDouble(value));
    if (Number.isNaN(new Date(time).getTime())) throw outOfRange(value, "date");
    return toDate(time);
  }
  if (typeof value !== "string") throw unsupported(value, "date");
  const parsed = parseDateText(value);
  if (!parsed) throw unreadable(value, "date");
  return toDate(parsed.offset === undefined ? toUtc(parsed.time, UTC) : parsed.time - parsed.offset);
};

const CONVERSIONS_BY_TYPE: Readonly<Record<string, Convert>> = {
  double: toDoubleValue,
  string: toText,
  bool: isTrue,
  date: toDateValue,
  int: toInt,
  long: toLong,
  decimal: toDecimalValue,
};

/** The numbers that BSON has for the types. */
const TYPE_NUMBERS: ReadonlyMap<number, string> = new Map([
  [1, "double"],
  [2, "string"],
  [8, "bool"],
  [9, "date"],
  [16, "int"],
  [18, "long"],
  [19, "decimal"],
]);

function conversionTo(type: Value): Convert {
  const name = typeof type === "number" ? (TYPE_NUMBERS.get(type) ?? String(type)) : type;
  const convert =
    typeof name === "string" && Object.hasOwn(CONVERSIONS_BY_TYPE, name)
      ? CONVERSIONS_BY_TYPE[name]
      : undefined;
  if (!convert) throw new ConversionError(`$convert cannot convert to ${String(name).slice(0, 64)}`);
  return convert;
}

const convert: Operator = (argument, compiler, name) => {
  const named = namedArguments(argument, compiler, name, ["input", "to"], ["onError", "onNull"]);
  const [input, to] = [named.get("input"), named.get("to")];
  const onNull: Evaluate = named.has("onNull") ? named.get("onNull") : constant(null);
  const onError = named.has("onError") ? named.get("onError") : undefined;
  return (document) => {
    const value = input(document);
    const type = to(document);
    if (isNullish(value)) return onNull(document);
    if (isNullish(type)) return null;
    try {
      return conversionTo(type)(value);
    } catch (error) {
      if (error instanceof ConversionError && onError) return onError(document);
      throw error;
    }
  };
};

/** `$toInt` and the like: null for null and missing values. */
function shorthand(type: string): Operator {
  const convertValue = conversionTo(type);
  return unary((value) => (isNullish(value) ? null : convertValue(value)));
}

export const CONVERSIONS: Operators = {
  $convert: convert,
  $isNumber: unary(isNumeric),
  $toBool: shorthand("bool"),
  $toDate: shorthand("date"),
  $toDecimal: shorthand("decimal"),
  $toDouble: shorthand("double"),
  $toInt: shorthand("int"),
  $toLong: shorthand("long"),
  $toString: shorthand("string"),
  $type: unary(typeName),
};
