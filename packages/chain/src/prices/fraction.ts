/** An exact non-negative ratio of two integers; `d` is not zero. */
export interface Fraction {
  n: bigint;
  d: bigint;
}

export function multiply(a: Fraction, b: Fraction): Fraction {
  return { n: a.n * b.n, d: a.d * b.d };
}

export function divide(a: Fraction, b: Fraction): Fraction {
  return { n: a.n * b.d, d: a.d * b.n };
}

export function powerOfTen(exponent: number): Fraction {
  return { n: 10n ** BigInt(exponent), d: 1n };
}

/** The nearest number, with about 17 digits. */
export function toNumber({ n, d }: Fraction): number {
  if (n === 0n) return 0;
  const shift = Math.max(0, 20 + digits(d) - digits(n));
  return Number(`${(n * 10n ** BigInt(shift)) / d}e-${shift}`);
}

function digits(value: bigint): number {
  return value.toString().length;
}

/** sqrtPriceX96 is a fixed-point number with 96 fractional bits. */
export const Q96 = 2n ** 96n;

/** The price of a v3 pool in units of the second token per unit of the first. */
export function squarePrice(sqrtPriceX96: bigint): Fraction {
  return { n: sqrtPriceX96 * sqrtPriceX96, d: Q96 * Q96 };
}

/** The geometric mean of two prices, with at least 30 digits. */
export function middlePrice(a: Fraction, b: Fraction): Fraction {
  const { n, d } = multiply(a, b);
  // Enough digits of the root, however small the product is.
  const scale = 10n ** BigInt(Math.max(0, digits(d) - digits(n)) + 60);
  return { n: squareRoot((n * scale * scale) / d), d: scale };
}

/** The integer square root, by Newton's method. */
function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length >> 1) + 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
