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
