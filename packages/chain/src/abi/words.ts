/** The n-th 32-byte word of what a contract returned or logged; undefined if it is shorter. */
export function wordAt(hex: string | undefined, n: number): bigint | undefined {
  const word = hex?.slice(2 + n * 64, 66 + n * 64) ?? "";
  return /^[0-9a-f]{64}$/i.test(word) ? BigInt(`0x${word}`) : undefined;
}

/** The n-th 32-byte word of the data of a log as hex with 0x; cut if the data is shorter. */
export function hexWordAt(data: string, n: number): string {
  return `0x${data.slice(2 + n * 64, 66 + n * 64)}`;
}
