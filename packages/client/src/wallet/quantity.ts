/** An integer as a JSON-RPC `QUANTITY`: hex without leading zeros. */
export function quantity(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

/** Parses a JSON-RPC `QUANTITY`; null for anything else. */
export function quantityOf(value: unknown): bigint | null {
  return typeof value === "string" && /^0x[0-9a-f]+$/i.test(value) ? BigInt(value) : null;
}

/** Adds 20 % to a gas estimate, since usage may differ in the next block; unused gas is not paid. */
export function withMargin(gas: bigint): bigint {
  return (gas * 12n) / 10n;
}
