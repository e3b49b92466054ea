import { Decimal128 } from "../decimal128.ts";
import { type Operator, type Operators, unary, variadic, wrongType } from "../evaluation.ts";
import {
  add,
  divide,
  isIntegral,
  isZero,
  MAX_INT,
  MIN_INT,
  multiply,
  negate,
  type Rounding,
  remainder,
  round,
  Sum,
  subtract,
  toDouble,
  toLong,
} from "../numbers.ts";
import { PipelineError } from "../pipelineError.ts";
import { isInt, isNullish, isNumeric, type Numeric, type Value } from "../values.ts";

/** An operator on one number; null for null and missing values. */
function ofNumber(compute: (value: Numeric, name: string) => Value): Operator {
  return unary((value, name) => {
    if (isNullish(value)) return null;
    if (!isNumeric(value)) throw wrongType(name, "a number", value);
    return compute(value, name);
  });
}

/** An operator on two numbers; null if one is null or missing. */
function ofNumbers(compute: (a: Numeric, b: Numeric, name: string) => Value, min = 2): Operator {
  return variadic(
    (values, name) => {
      const [a] = values;
      const b = values.length > 1 ? values[1] : 0;
      if (isNullish(a) || isNullish(b)) return null;
      if (!isNumeric(a)) throw wrongType(name, "numbers", a);
      if (!isNumeric(b)) throw wrongType(name, "numbers", b);
      return compute(a, b, name);
    },
    min,
    2,
  );
}

/** An operator whose result for decimals has the digits of a double. */
function ofDouble(
  compute: (value: number) => number,
  isInDomain: (value: number) => boolean = () => true,
  domain = "",
): Operator {
  return ofNumber((value, name) => {
    const double = toDouble(value);
    if (!Number.isNaN(double) && !isInDomain(double)) throw new PipelineError(`${name} takes ${domain}`);
    return withDecimals(compute(double), value);
  });
}

/** A result has the type decimal if an operand has it. */
function withDecimals(result: number, ...operands: Numeric[]): Numeric {
  return operands.some((operand) => operand instanceof Decimal128) ? Decimal128.fromDouble(result) : result;
}

const isPositive = (value: number) => value > 0;

function sum(values: Value[], name: string): Value {
  const numbers: Numeric[] = [];
  let date: Date | undefined;
  for (const value of values) {
    if (isNullish(value)) return null;
    if (value instanceof Date) {
      if (date) throw new PipelineError("$add takes one date only");
      date = value;
    } else if (isNumeric(value)) numbers.push(value);
    else throw wrongType(name, "numbers and dates", value);
  }
  const total = totalOf(numbers);
  return date ? addMilliseconds(date, total) : total;
}

/** More than two numbers are summed without losing digits in between. */
function totalOf(numbers: readonly Numeric[]): Numeric {
  const [a = 0, b = 0] = numbers;
  if (numbers.length <= 2) return add(a, b);
  const total = new Sum();
  for (const number of numbers) total.add(number);
  return total.value;
}

function addMilliseconds(date: Date, milliseconds: Numeric): Date {
  return toDate(date.getTime() + Math.round(toDouble(milliseconds)));
}

/** Returns the date of a time in ms. Throws if there is none. */
export function toDate(time: number): Date {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) throw new PipelineError("a date is out of range");
  return date;
}

function difference([a, b]: Value[], name: string): Value {
  if (isNullish(a) || isNullish(b)) return null;
  if (a instanceof Date) {
    if (b instanceof Date) return BigInt(a.getTime() - b.getTime());
    if (isNumeric(b)) return addMilliseconds(a, negate(b));
  }
  if (isNumeric(a) && isNumeric(b)) return subtract(a, b);
  throw wrongType(name, "numbers, or a date first", isNumeric(a) ? b : a);
}

function product(values: Value[], name: string): Value {
  let total: Numeric = 1;
  for (const value of values) {
    if (isNullish(value)) return null;
    if (!isNumeric(value)) throw wrongType(name, "numbers", value);
    total = multiply(total, value);
  }
  return total;
}

function absolute(value: Numeric): Numeric {
  if (value instanceof Decimal128) return value.absolute();
  if (value >= 0) return value;
  const result = negate(value);
  return typeof value === "number" && isInt(value) && typeof result === "number" && !isInt(result)
    ? BigInt(result)
    : result;
}

function power(base: Numeric, exponent: Numeric): Numeric {
  if (isZero(base) && toDouble(exponent) < 0) {
    throw new PipelineError("$pow cannot take a base of 0 and a negative exponent");
  }
  if (isIntegral(base) && isIntegral(exponent)) {
    const [x, y] = [BigInt(base), BigInt(exponent)];
    const isUnit = x === 1n || x === -1n;
    if (y >= 0n && (isUnit || x === 0n || y < 64n)) {
      const result = isUnit ? (y % 2n === 0n ? 1n : x) : x ** y;
      const isOfInts = typeof base === "number" && typeof exponent === "number";
      if (isOfInts && result >= MIN_INT && result <= MAX_INT) return Number(result);
      return toLong(result);
    }
  }
  if (base instanceof Decimal128 && isIntegral(exponent) && exponent >= 0 && exponent <= 1_000) {
    let result: Numeric = 1;
    for (let i = 0; i < Number(exponent); i++) result = multiply(result, base);
    return result instanceof Decimal128 ? result : Decimal128.of(1n);
  }
  return withDecimals(toDouble(base) ** toDouble(exponent), base, exponent);
}

function logarithm(value: Numeric, base: Numeric): Numeric {
  const [x, b] = [toDouble(value), toDouble(base)];
  if (x <= 0) throw new PipelineError("$log takes a positive number");
  if (b <= 0 || b === 1) throw new PipelineError("$log takes a base that is positive and not 1");
  return withDecimals(
    b === 10 ? Math.log10(x) : b === 2 ? Math.log2(x) : Math.log(x) / Math.log(b),
    value,
    base,
  );
}

function squareRoot(value: Numeric): Numeric {
  if (toDouble(value) < 0) throw new PipelineError("$sqrt takes a number that is not negative");
  return value instanceof Decimal128 ? value.squareRoot() : Math.sqrt(toDouble(value));
}

/** `$round` and `$trunc`. */
function roundingTo(mode: Rounding): Operator {
  return ofNumbers((value, place, name) => {
    const places = toDouble(place);
    if (!Number.isInteger(places) || places <= -20 || places >= 100) {
      throw new PipelineError(`${name} takes a whole number between -20 and 100 as its place`);
    }
    return round(value, places, mode);
  }, 1);
}

/** An operator on the bits of ints and longs. */
function bitwise(initial: bigint, combine: (a: bigint, b: bigint) => bigint): Operator {
  return variadic((values, name) => {
    let result = initial;
    let isOfInts = true;
    for (const value of values) {
      if (isNullish(value)) return null;
      result = combine(result, BigInt(toInteger(value, name)));
      isOfInts &&= typeof value === "number";
    }
    return isOfInts ? Number(result) : result;
  });
}

function toInteger(value: Value, name: string): number | bigint {
  if (isNumeric(value) && isIntegral(value)) return value;
  throw wrongType(name, "values of type int and long", value);
}

export const ARITHMETIC: Operators = {
  $abs: ofNumber(absolute),
  $add: variadic(sum),
  $ceil: ofNumber((value) => round(value, 0, "ceil")),
  $divide: ofNumbers(divide),
  $exp: ofDouble(Math.exp),
  $floor: ofNumber((value) => round(value, 0, "floor")),
  $ln: ofDouble(Math.log, isPositive, "a positive number"),
  $log: ofNumbers(logarithm),
  $log10: ofDouble(Math.log10, isPositive, "a positive number"),
  $mod: ofNumbers(remainder),
  $multiply: variadic(product),
  $pow: ofNumbers(power),
  $round: roundingTo("halfEven"),
  $sqrt: ofNumber(squareRoot),
  $subtract: variadic(difference, 2, 2),
  $trunc: roundingTo("trunc"),

  $bitAnd: bitwise(-1n, (a, b) => a & b),
  $bitOr: bitwise(0n, (a, b) => a | b),
  $bitXor: bitwise(0n, (a, b) => a ^ b),
  $bitNot: unary((value, name) => {
    if (isNullish(value)) return null;
    const integer = toInteger(value, name);
    return typeof integer === "bigint" ? ~integer : ~integer;
  }),
};

const isFiniteNumber = (value: number) => Number.isFinite(value);
const FINITE = "a finite number";
const RADIANS = Math.PI / 180;

export const TRIGONOMETRY: Operators = {
  $acos: ofDouble(Math.acos, (value) => Math.abs(value) <= 1, "a number between -1 and 1"),
  $acosh: ofDouble(Math.acosh, (value) => value >= 1, "a number from 1"),
  $asin: ofDouble(Math.asin, (value) => Math.abs(value) <= 1, "a number between -1 and 1"),
  $asinh: ofDouble(Math.asinh),
  $atan: ofDouble(Math.atan),
  $atan2: ofNumbers((y, x) => withDecimals(Math.atan2(toDouble(y), toDouble(x)), y, x)),
  $atanh: ofDouble(Math.atanh, (value) => Math.abs(value) <= 1, "a number between -1 and 1"),
  $cos: ofDouble(Math.cos, isFiniteNumber, FINITE),
  $cosh: ofDouble(Math.cosh),
  $degreesToRadians: ofDouble((value) => value * RADIANS),
  $radiansToDegrees: ofDouble((value) => value / RADIANS),
  $sin: ofDouble(Math.sin, isFiniteNumber, FINITE),
  $sinh: ofDouble(Math.sinh),
  $tan: ofDouble(Math.tan, isFiniteNumber, FINITE),
  $tanh: ofDouble(Math.tanh),
};
