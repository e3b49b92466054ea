import { describe, expect, it } from "vitest";
import {
  amountForFiat,
  fiatValue,
  formatCompactFiat,
  formatFiat,
  formatFiatChange,
  formatFiatPrice,
  formatPercentChange,
} from "./fiat.ts";

describe("dollar amounts", () => {
  it("are formatted to the cent, and below a cent with two significant digits", () => {
    expect(formatFiat(1204.5, "en-US")).toBe("$1,204.50");
    expect(formatFiat(0.00123, "en-US")).toBe("$0.0012");
  });

  it("have a lower bound instead of many zeros or an exponent", () => {
    expect(formatFiat(1e-15, "en-US")).toBe("< $0.000001");
    expect(formatFiat(0, "en-US")).toBe("$0.00");
    expect(formatFiat(1e21, "en-US")).toBe("$1,000,000,000,000,000,000,000.00");
  });

  it("of prices keep significant digits", () => {
    expect(formatFiatPrice(1978.3245, "en-US")).toBe("$1,978.32");
    expect(formatFiatPrice(0.123456, "en-US")).toBe("$0.1235");
    expect(formatFiatPrice(5, "en-US")).toBe("$5.00");
    expect(formatFiatPrice(0.00000012, "en-US")).toBe("$0.00000012");
  });

  it("of changes have a sign unless they are nothing", () => {
    expect([1.2, -1.2, 0, 1e-12].map((usd) => formatFiatChange(usd, "en-US"))).toEqual([
      "+$1.20",
      "−$1.20",
      "$0.00",
      "$0.00",
    ]);
    expect(formatPercentChange(-1.5, "en-US")).toBe("−1.5%");
  });

  it("are shortened for compact layouts", () => {
    expect(formatCompactFiat(20_526_247.35, "en-US")).toBe("$20.53M");
    expect(formatCompactFiat(915.5, "en-US")).toBe("$915.50");
  });

  it("have the digits that tell the values of an axis apart", () => {
    const values = [20_526_000, 20_528_000, 20_530_000];
    expect(values.map((usd) => formatCompactFiat(usd, "en-US", 2_000))).toEqual([
      "$20.526M",
      "$20.528M",
      "$20.53M",
    ]);
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
