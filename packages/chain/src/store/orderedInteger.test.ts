import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeOrdered, encodeOrdered } from "./orderedInteger.ts";

const integers = fc.bigInt({ min: -(2n ** 300n), max: 2n ** 300n });

it("encoded integers decode to themselves", () => {
  fc.assert(fc.property(integers, (value) => decodeOrdered(encodeOrdered(value)) === value));
});

it("encoded integers have the order of the integers", () => {
  const sign = (value: bigint) => (value < 0n ? -1 : value > 0n ? 1 : 0);
  fc.assert(
    fc.property(integers, integers, (a, b) => {
      expect(Buffer.compare(encodeOrdered(a), encodeOrdered(b))).toBe(sign(a - b));
    }),
  );
});

it("encodeOrdered() rejects an integer of more than 127 bytes", () => {
  expect(() => encodeOrdered(2n ** 1016n)).toThrow(RangeError);
});
