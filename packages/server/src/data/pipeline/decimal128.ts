import { PipelineError } from "./pipelineError.ts";

/** Significant digits of a Decimal128. */
const DIGITS = 34;
const MAX_COEFFICIENT = 10n ** BigInt(DIGITS);
const MIN_EXPONENT = -6_176;
const MAX_EXPONENT = 6_111;
/** Significant digits of a double that becomes a decimal. */
const DOUBLE_DIGITS = 15;

type Kind = "finite" | "infinite" | "nan";

/**
 * A decimal number with 34 significant digits (IEEE 754 Decimal128), rounded half to even. Like MongoDB's, it keeps
 * trailing zeros: `1.50` is another text, but the same number, as `1.5`.
 */
export class Decimal128 {
  static readonly NAN = new Decimal128("nan", 0n, 0);
  static readonly INFINITY = new Decimal128("infinite", 1n, 0);
  static readonly NEGATIVE_INFINITY = new Decimal128("infinite", -1n, 0);
  static readonly ZERO = new Decimal128("finite", 0n, 0);

  readonly #kind: Kind;
  /** With sign. Of infinities only the sign counts. */
  readonly #coefficient: bigint;
  readonly #exponent: number;

  private constructor(kind: Kind, coefficient: bigint, exponent: number) {
    this.#kind = kind;
    this.#coefficient = coefficient;
    this.#exponent = exponent;
  }

  /** Returns `coefficient * 10 ** exponent`, rounded to the digits of a Decimal128. */
  static of(coefficient: bigint, exponent = 0): Decimal128 {
    let rounded = coefficient;
    let power = exponent;
    const excess = Math.max(digitCount(coefficient) - DIGITS, MIN_EXPONENT - exponent, 0);
    if (excess > 0) {
      rounded = divideHalfEven(coefficient, 10n ** BigInt(Math.min(excess, digitCount(coefficient) + 1)));
      power += excess;
      if (absolute(rounded) === MAX_COEFFICIENT) {
        rounded /= 10n;
        power += 1;
      }
    }
    while (power > MAX_EXPONENT && rounded !== 0n && absolute(rounded) * 10n < MAX_COEFFICIENT) {
      rounded *= 10n;
      power -= 1;
    }
    if (rounded === 0n) power = Math.min(power, MAX_EXPONENT);
    if (power > MAX_EXPONENT) return coefficient < 0n ? Decimal128.NEGATIVE_INFINITY : Decimal128.INFINITY;
    return new Decimal128("finite", rounded, power);
  }

  /** Parses a text such as `-12.5e3`. Returns undefined if it is no number. */
  static parse(text: string): Decimal128 | undefined {
    const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/.exec(text);
    if (!match) return parseSpecial(text);
    const [, sign, whole = "", fraction = "", exponent = "0"] = match;
    if (whole === "" && fraction === "") return undefined;
    const coefficient = BigInt(whole + fraction);
    return Decimal128.of(sign === "-" ? -coefficient : coefficient, Number(exponent) - fraction.length);
  }

  /** Returns the decimal of the 15 digits that a double has in any case, as MongoDB converts doubles. */
  static fromDouble(value: number): Decimal128 {
    if (Number.isInteger(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) {
      return Decimal128.of(BigInt(value));
    }
    if (!Number.isFinite(value)) return Decimal128.parse(String(value)) ?? Decimal128.NAN;
    const [digits = "", exponent = "0"] = value.toExponential(DOUBLE_DIGITS - 1).split("e");
    const [whole = "", fraction = ""] = digits.replace(/\.?0+$/, "").split(".");
    return Decimal128.of(BigInt(whole + fraction), Number(exponent) - fraction.length);
  }

  /** Returns the decimal that is exactly a double, rounded to 34 digits only. */
  static exactly(value: number): Decimal128 {
    if (!Number.isFinite(value)) return Decimal128.fromDouble(value);
    let coefficient = value;
    let halvings = 0;
    while (!Number.isInteger(coefficient)) {
      coefficient *= 2;
      halvings += 1;
    }
    // value = coefficient / 2 ** halvings = coefficient * 5 ** halvings / 10 ** halvings
    return Decimal128.of(BigInt(coefficient) * 5n ** BigInt(halvings), -halvings);
  }

  get isNaN(): boolean {
    return this.#kind === "nan";
  }

  get isFinite(): boolean {
    return this.#kind === "finite";
  }

  get isZero(): boolean {
    return this.#kind === "finite" && this.#coefficient === 0n;
  }

  get isNegative(): boolean {
    return this.#coefficient < 0n;
  }

  get isInteger(): boolean {
    return this.isFinite && this.compare(this.round(0, "trunc")) === 0;
  }

  negated(): Decimal128 {
    if (this.#kind === "nan") return this;
    if (this.#kind === "finite") return new Decimal128("finite", -this.#coefficient, this.#exponent);
    return this.isNegative ? Decimal128.INFINITY : Decimal128.NEGATIVE_INFINITY;
  }

  absolute(): Decimal128 {
    return this.isNegative ? this.negated() : this;
  }

  plus(other: Decimal128): Decimal128 {
    if (this.isNaN || other.isNaN) return Decimal128.NAN;
    if (!this.isFinite || !other.isFinite) {
      if (this.isFinite) return other;
      return other.isFinite || this.isNegative === other.isNegative ? this : Decimal128.NAN;
    }
    // Digits that are too far apart to influence each other would only make the numbers long.
    const [high, low] = this.#exponent >= other.#exponent ? [this, other] : [other, this];
    const distance = high.#exponent - low.#exponent;
    if (distance > DIGITS * 3 && high.#coefficient !== 0n) {
      const sticky = low.#coefficient === 0n ? 0n : low.#coefficient > 0n ? 1n : -1n;
      return Decimal128.of(
        high.#coefficient * 10n ** BigInt(DIGITS * 2) + sticky,
        high.#exponent - DIGITS * 2,
      );
    }
    return Decimal128.of(
      high.#coefficient * 10n ** BigInt(high.#coefficient === 0n ? 0 : distance) + low.#coefficient,
      low.#exponent,
    );
  }

  minus(other: Decimal128): Decimal128 {
    return this.plus(other.negated());
  }

  times(other: Decimal128): Decimal128 {
    if (this.isNaN || other.isNaN) return Decimal128.NAN;
    if (this.isFinite && other.isFinite) {
      return Decimal128.of(this.#coefficient * other.#coefficient, this.#exponent + other.#exponent);
    }
    if (this.isZero || other.isZero) return Decimal128.NAN;
    return this.isNegative === other.isNegative ? Decimal128.INFINITY : Decimal128.NEGATIVE_INFINITY;
  }

  /** The divisor must not be zero. */
  dividedBy(other: Decimal128): Decimal128 {
    if (this.isNaN || other.isNaN || (!this.isFinite && !other.isFinite)) return Decimal128.NAN;
    if (!this.isFinite) {
      return this.isNegative === other.isNegative ? Decimal128.INFINITY : Decimal128.NEGATIVE_INFINITY;
    }
    if (!other.isFinite) return Decimal128.ZERO;
    const shift = Math.max(digitCount(other.#coefficient) - digitCount(this.#coefficient) + DIGITS + 2, 0);
    const numerator = this.#coefficient * 10n ** BigInt(shift);
    const exponent = this.#exponent - other.#exponent;
    const quotient = numerator / other.#coefficient;
    if (numerator % other.#coefficient !== 0n) {
      // A last digit that stands for all that follow makes the rounding right.
      const isNegative = this.isNegative !== other.isNegative;
      return Decimal128.of(quotient * 10n + (isNegative ? -1n : 1n), exponent - shift - 1);
    }
    let coefficient = quotient;
    let power = exponent - shift;
    while (power < exponent && coefficient % 10n === 0n) {
      coefficient /= 10n;
      power += 1;
    }
    return Decimal128.of(coefficient, power);
  }

  /** The remainder has the sign of the dividend. The divisor must not be zero. */
  remainder(other: Decimal128): Decimal128 {
    if (this.isNaN || other.isNaN || !this.isFinite) return Decimal128.NAN;
    if (!other.isFinite) return this;
    const exponent = Math.min(this.#exponent, other.#exponent);
    return Decimal128.of(this.#scaledTo(exponent) % other.#scaledTo(exponent), exponent);
  }

  /** Rounds to a number of decimal places, which may be negative. */
  round(places: number, mode: "halfEven" | "trunc" | "floor" | "ceil"): Decimal128 {
    if (!this.isFinite || -this.#exponent <= places) return this;
    const divisor = 10n ** BigInt(Math.min(-this.#exponent - places, DIGITS + 1));
    const truncated = this.#coefficient / divisor;
    const isExact = this.#coefficient % divisor === 0n;
    const rounded =
      mode === "halfEven"
        ? divideHalfEven(this.#coefficient, divisor)
        : isExact || mode === "trunc" || (mode === "floor") !== this.isNegative
          ? truncated
          : truncated + (mode === "floor" ? -1n : 1n);
    // Zero places are no power of ten: `120` rather than `12E+1`.
    return places < 0 ? Decimal128.of(rounded * 10n ** BigInt(-places)) : Decimal128.of(rounded, -places);
  }

  /** The number must not be negative. */
  squareRoot(): Decimal128 {
    if (!this.isFinite || this.isZero) return this;
    const shift = DIGITS * 2 + 2 + (Math.abs(this.#exponent) % 2);
    const scaled = this.#coefficient * 10n ** BigInt(shift);
    const root = integerSquareRoot(scaled);
    const exponent = (this.#exponent - shift) / 2;
    if (root * root !== scaled) return Decimal128.of(root * 10n + 1n, exponent - 1);
    let coefficient = root;
    let power = exponent;
    while (power < Math.trunc(this.#exponent / 2) && coefficient % 10n === 0n) {
      coefficient /= 10n;
      power += 1;
    }
    return Decimal128.of(coefficient, power);
  }

  /** Compares by value; NaN is less than all numbers. */
  compare(other: Decimal128): number {
    if (this.isNaN || other.isNaN) return Number(other.isNaN) - Number(this.isNaN);
    if (!this.isFinite || !other.isFinite) return order(this.#infinitySign(), other.#infinitySign());
    if (this.#exponent === other.#exponent) return order(this.#coefficient, other.#coefficient);
    const signs = order(sign(this.#coefficient), sign(other.#coefficient));
    if (signs !== 0 || this.#coefficient === 0n) return signs;
    const magnitudes = order(this.#magnitude(), other.#magnitude());
    if (magnitudes !== 0) return this.isNegative ? -magnitudes : magnitudes;
    const exponent = Math.min(this.#exponent, other.#exponent);
    return order(this.#scaledTo(exponent), other.#scaledTo(exponent));
  }

  /** Returns the integer part. Throws for NaN and infinities. */
  toBigInt(): bigint {
    if (!this.isFinite) throw new PipelineError(`${this.toString()} has no integer part`);
    return this.#exponent >= 0
      ? this.#coefficient * 10n ** BigInt(this.#exponent)
      : this.#exponent < -DIGITS
        ? 0n
        : this.#coefficient / 10n ** BigInt(-this.#exponent);
  }

  /** Returns the nearest double. */
  toNumber(): number {
    return Number(this.toString());
  }

  /** Returns a text that is equal for equal numbers. */
  toKey(): string {
    if (!this.isFinite) return this.toString();
    let coefficient = this.#coefficient;
    let exponent = this.#exponent;
    if (coefficient === 0n) return "0";
    while (coefficient % 10n === 0n) {
      coefficient /= 10n;
      exponent += 1;
    }
    return `${coefficient}E${exponent}`;
  }

  /** Formats the number as MongoDB does: `12.50`, `1E+40`, `NaN`. */
  toString(): string {
    if (this.isNaN) return "NaN";
    const sign = this.isNegative ? "-" : "";
    if (!this.isFinite) return `${sign}Infinity`;
    const digits = String(absolute(this.#coefficient));
    const magnitude = this.#exponent + digits.length - 1;
    if (this.#exponent > 0 || magnitude < -6) {
      const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
      return `${sign}${digits[0]}${fraction}E${magnitude < 0 ? "" : "+"}${magnitude}`;
    }
    if (this.#exponent === 0) return sign + digits;
    const padded = digits.padStart(1 - this.#exponent, "0");
    return `${sign}${padded.slice(0, this.#exponent)}.${padded.slice(this.#exponent)}`;
  }

  #infinitySign(): number {
    return this.isFinite ? 0 : this.isNegative ? -1 : 1;
  }

  #magnitude(): number {
    return digitCount(this.#coefficient) + this.#exponent;
  }

  /** The coefficient for a lower exponent. */
  #scaledTo(exponent: number): bigint {
    return this.#coefficient * 10n ** BigInt(this.#exponent - exponent);
  }
}

function parseSpecial(text: string): Decimal128 | undefined {
  switch (text.toLowerCase()) {
    case "nan":
      return Decimal128.NAN;
    case "infinity":
    case "+infinity":
    case "inf":
    case "+inf":
      return Decimal128.INFINITY;
    case "-infinity":
    case "-inf":
      return Decimal128.NEGATIVE_INFINITY;
    default:
      return undefined;
  }
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function sign(value: bigint): number {
  return value < 0n ? -1 : value > 0n ? 1 : 0;
}

function order<T extends number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function digitCount(value: bigint): number {
  return String(absolute(value)).length;
}

function divideHalfEven(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  const twice = absolute(value % divisor) * 2n;
  const isUp = twice > divisor || (twice === divisor && quotient % 2n !== 0n);
  return isUp ? quotient + (value < 0n ? -1n : 1n) : quotient;
}

/** Newton's method. */
function integerSquareRoot(value: bigint): bigint {
  let root = 10n ** BigInt(Math.ceil(digitCount(value) / 2));
  for (;;) {
    const next = (root + value / root) / 2n;
    if (next >= root) return root;
    root = next;
  }
}
