import { Decimal128 } from "./decimal128.ts";
import { PipelineError } from "./pipelineError.ts";
import { isInt, type Numeric } from "./values.ts";

export const MIN_INT = -(2 ** 31);
export const MAX_INT = 2 ** 31 - 1;
export const MIN_LONG = -(2n ** 63n);
export const MAX_LONG = 2n ** 63n - 1n;

/** Converts to a double, as MongoDB does before operations of doubles. */
export function toDouble(value: Numeric): number {
  return value instanceof Decimal128 ? value.toNumber() : Number(value);
}

export function toDecimal(value: Numeric): Decimal128 {
  if (value instanceof Decimal128) return value;
  return typeof value === "bigint" ? Decimal128.of(value) : Decimal128.fromDouble(value);
}

/** Whether a number is of MongoDB's types int or long. */
export function isIntegral(value: Numeric): value is number | bigint {
  return typeof value === "bigint" || (typeof value === "number" && isInt(value));
}

/** Returns an integer as a long, or the nearest double if it has more than 64 bits. */
export function toLong(value: bigint): bigint | number {
  return value >= MIN_LONG && value <= MAX_LONG ? value : Number(value);
}

/** The result of an operation on integers: of ints an int or a long, and a double beyond 64 bits. */
function fromInteger(value: bigint, isOfInts: boolean): Numeric {
  const isShort = isOfInts && value >= MIN_INT && value <= MAX_INT;
  return isShort ? Number(value) : toLong(value);
}

type Doubles = (a: number, b: number) => number;
type Integers = (a: bigint, b: bigint) => bigint;
type Decimals = (a: Decimal128, b: Decimal128) => Decimal128;

/** Creates an operation whose result has the widest of the types of its operands: int, long, double, decimal. */
function arithmetic(doubles: Doubles, integers: Integers, decimals: Decimals) {
  return (a: Numeric, b: Numeric): Numeric => {
    if (typeof a === "number" && typeof b === "number") {
      const result = doubles(a, b);
      if (isInt(result) || !isInt(a) || !isInt(b)) return result;
      return Number.isSafeInteger(result) ? BigInt(result) : toLong(integers(BigInt(a), BigInt(b)));
    }
    if (a instanceof Decimal128 || b instanceof Decimal128) return decimals(toDecimal(a), toDecimal(b));
    if (isIntegral(a) && isIntegral(b)) return toLong(integers(BigInt(a), BigInt(b)));
    return doubles(Number(a), Number(b));
  };
}

export const add = arithmetic(
  (a, b) => a + b,
  (a, b) => a + b,
  (a, b) => a.plus(b),
);
export const subtract = arithmetic(
  (a, b) => a - b,
  (a, b) => a - b,
  (a, b) => a.minus(b),
);
export const multiply = arithmetic(
  (a, b) => a * b,
  (a, b) => a * b,
  (a, b) => a.times(b),
);

export function divide(a: Numeric, b: Numeric): Numeric {
  if (isZero(b)) throw new PipelineError("can't $divide by zero");
  if (a instanceof Decimal128 || b instanceof Decimal128) return toDecimal(a).dividedBy(toDecimal(b));
  return Number(a) / Number(b);
}

/** The remainder has the sign of the dividend. */
export function remainder(a: Numeric, b: Numeric): Numeric {
  if (isZero(b)) throw new PipelineError("can't $mod by zero");
  if (a instanceof Decimal128 || b instanceof Decimal128) return toDecimal(a).remainder(toDecimal(b));
  if (isIntegral(a) && isIntegral(b)) {
    if (typeof a === "number" && typeof b === "number") return (a % b) + 0;
    return toLong(BigInt(a) % BigInt(b));
  }
  return Number(a) % Number(b);
}

export function negate(value: Numeric): Numeric {
  if (value instanceof Decimal128) return value.negated();
  return typeof value === "bigint" ? toLong(-value) : -value;
}

export function isZero(value: Numeric): boolean {
  // biome-ignore lint/suspicious/noDoubleEquals: the operator compares bigints and numbers by value
  return value instanceof Decimal128 ? value.isZero : value == 0;
}

export type Rounding = "halfEven" | "trunc" | "floor" | "ceil";

/** Rounds to a number of decimal places between -20 and 100. */
export function round(value: Numeric, places: number, mode: Rounding): Numeric {
  if (value instanceof Decimal128) return value.round(places, mode);
  if (isIntegral(value)) {
    if (places >= 0) return value;
    return fromInteger(
      Decimal128.of(BigInt(value)).round(places, mode).toBigInt(),
      typeof value === "number",
    );
  }
  if (typeof value !== "number" || !Number.isFinite(value)) return value;
  if (places === 0) return roundDouble(value, mode);
  // The decimal digits of the double are rounded, as those of MongoDB's decimals of 34 digits.
  return Decimal128.exactly(value).round(places, mode).toNumber();
}

function roundDouble(value: number, mode: Rounding): number {
  if (mode === "trunc") return Math.trunc(value);
  if (mode === "floor") return Math.floor(value);
  if (mode === "ceil") return Math.ceil(value);
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return rest < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

/** Sums numbers of any types without losing digits of doubles: 0.1 ten times is 1. */
export class Sum {
  /** The sum of the ints; exact. */
  #ints = 0;
  #longs = 0n;
  /** The sum of the doubles, and what its rounding has lost. */
  #doubles = 0;
  #lost = 0;
  #decimals: Decimal128 | undefined;
  #hasLongs = false;
  #hasDoubles = false;

  add(value: Numeric): void {
    if (value instanceof Decimal128) {
      this.#decimals = this.#decimals?.plus(value) ?? value;
    } else if (typeof value === "bigint") {
      this.#longs += value;
      this.#hasLongs = true;
    } else if (isInt(value)) {
      this.#ints += value;
      if (Number.isSafeInteger(this.#ints)) return;
      this.#longs += BigInt(this.#ints);
      this.#ints = 0;
    } else {
      this.#hasDoubles = true;
      this.#addDouble(value);
    }
  }

  /** Adds a double; what the rounding of the sum loses is summed on its own (Neumaier). */
  #addDouble(value: number): void {
    const sum = this.#doubles + value;
    const larger = Math.abs(this.#doubles) >= Math.abs(value);
    if (Number.isFinite(sum)) {
      this.#lost += larger ? this.#doubles - sum + value : value - sum + this.#doubles;
    }
    this.#doubles = sum;
  }

  /** The sum; 0 without numbers. */
  get value(): Numeric {
    const integers = this.#longs + BigInt(this.#ints);
    if (this.#decimals) {
      const rest = toDecimal(this.#doubles + this.#lost).plus(Decimal128.of(integers));
      return this.#decimals.plus(rest);
    }
    if (!this.#hasDoubles) {
      return fromInteger(integers, !this.#hasLongs);
    }
    if (integers !== 0n) {
      const total = new Sum();
      total.#doubles = this.#doubles;
      total.#lost = this.#lost;
      const rounded = Number(integers);
      total.#addDouble(rounded);
      total.#addDouble(Number(integers - BigInt(rounded)));
      return total.#doubles + total.#lost;
    }
    return this.#doubles + this.#lost;
  }

  /** The sum as a double or a decimal, for averages. */
  dividedBy(count: number): Numeric {
    return divide(this.value, count);
  }
}
