import { Units } from "@purse/client";

export interface UnitsOptions {
  method: "toWei" | "fromWei" | "toHex";
  value: string | number | bigint;
  /** 18 by default. */
  decimals?: number | string;
}

/**
 * Converts amounts as `Moralis.Cloud.units` of Moralis v1: exactly, to text. `toHex` writes an integer without `0x`.
 * Throws Error for anything that is not an amount.
 */
export function convertUnits({ method, value, decimals = 18 }: UnitsOptions): string {
  switch (method) {
    case "toWei":
      return Units.Token(value, decimals);
    case "fromWei":
      return Units.FromWei(integerText(value), decimals);
    case "toHex":
      return BigInt(integerText(value)).toString(16);
    default:
      throw new Error(`units has no method ${String(method)}: toWei, fromWei and toHex are`);
  }
}

/** Whole numbers above 2^53 are taken as they are, as amounts in wei often are. */
function integerText(value: UnitsOptions["value"]): string {
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value).toString() : String(value);
}
