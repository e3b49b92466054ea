import { describe, expect, it } from "vitest";
import { amountForFiat, fiatValue, formatCompactFiat, formatFiat } from "./fiat.ts";

describe("dollar amounts", () => {
  it("are formatted to the cent, and below a cent with two significant digits", () => {
    expect(formatFiat(1204.5, "en-US")).toBe("$1,204.50");
    expect(formatFiat(0.00123, "en-US")).toBe("$0.0012");
  });

  it("are shortened for compact layouts", () => {
    expect(formatCompactFiat(20_526_247.35, "en-US")).toBe("$20.53M");
    expect(formatCompactFiat(915.5, "en-US")).toBe("$915.50");
  });

  it("are computed from an amount and a price", () => {
    expect(fiatValue(1_500_000n, 6, 2)).toBe(3);
    expect(fiatValue(2n, 0, 0.5)).toBe(1);
  });

  it("are converted to an amount without rounding up", () => {
    expect(amountForFiat(3_000_000n, 6, 2)).toBe(1_500_000n);
    expect(amountForFiat(1_500_000n, 18, 1)).toBe(1_500_000_000_000_000_000n);
    expect(amountForFiat(1_000_000n, 0, 0.3)).toBe(3n);
    expect(amountForFiat(1_000_000n, 6, 0)).toBeUndefined();
  });
});
