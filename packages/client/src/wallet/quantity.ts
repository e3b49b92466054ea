/** A whole number as nodes take it (`QUANTITY` of the JSON-RPC): hex without leading zeros. */
export function quantity(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

/** A node's whole number; null for anything else. */
export function quantityOf(value: unknown): bigint | null {
  return typeof value === "string" && /^0x[0-9a-f]+$/i.test(value) ? BigInt(value) : null;
}

/** An estimate of gas and a fifth: some contracts take more in the next block than in this one; the rest is not paid. */
export function withMargin(gas: bigint): bigint {
  return (gas * 12n) / 10n;
}
