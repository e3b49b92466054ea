import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";

/** Reads something of a page until it stays the same for half a second: what arrived last may still have to be rendered. */
export async function finalValue<Value>(read: () => Promise<Value>): Promise<Value> {
  let value = await read();
  const isUnchanged = async () => {
    const earlier = value;
    value = await read();
    return isDeepStrictEqual(value, earlier);
  };
  await expect.poll(isUnchanged, { interval: 500 }).toBe(true);
  return value;
}
