/** A decimal amount, or another library's big number. */
type Amount = string | number | bigint | { toString(): string };

/**
 * Exact conversions between decimal amounts and the smallest unit (wei) as a string: nothing is
 * rounded. They throw for invalid amounts.
 */
export const Units = {
  /** Ether to wei. */
  ETH: (value: Amount): string => Units.Token(value, 18),

  /** A token amount to its smallest unit. Throws if it has more decimals than the token. */
  Token(value: Amount, decimals: number | string = 18): string {
    const places = decimalPlaces(decimals);
    const match = /^(-?)(\d*)\.?(\d*)$/.exec(expandExponent(String(value)));
    const [, sign = "", integerPart = "", fraction = ""] = match ?? [];
    if (!match || (integerPart === "" && fraction === "")) throw new Error(`Not an amount: ${value}`);
    const digits = fraction.replace(/0+$/, "");
    if (digits.length > places) throw new Error(`${value} has more than ${places} decimals`);
    return BigInt(`${sign}${integerPart}${digits.padEnd(places, "0")}`).toString();
  },

  /**
   * The smallest unit to a token amount, without trailing zeros. A balance that is not known yet (undefined or null) is
   * "0": an error while React renders would remove the whole page.
   */
  FromWei(value: Amount | null | undefined, decimals: number | string = 18): string {
    const places = decimalPlaces(decimals);
    const wei = integerOf(value ?? 0);
    const digits = (wei < 0n ? -wei : wei).toString().padStart(places + 1, "0");
    const integerPart = digits.slice(0, digits.length - places);
    const fraction = digits.slice(digits.length - places).replace(/0+$/, "");
    return `${wei < 0n ? "-" : ""}${integerPart}${fraction ? `.${fraction}` : ""}`;
  },
};

/** A uint8 as in the ABI; legacy code also passes a string. */
function decimalPlaces(decimals: number | string): number {
  const places = Number(decimals);
  if (Number.isInteger(places) && places >= 0 && places <= 255 && decimals !== "") return places;
  throw new Error(`Not a number of decimals: ${decimals}`);
}

function integerOf(value: Amount): bigint {
  const [, sign = "", digits = ""] = /^(-?)(\d+|0x[0-9a-f]+)$/i.exec(integerText(value)) ?? [];
  if (!digits) throw new Error(`Not a whole amount: ${value}`);
  return sign ? -BigInt(digits) : BigInt(digits);
}

function integerText(value: Amount): string {
  // Larger numbers are not exact.
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw new Error(`${value} is too large for a number: pass it as a string`);
  }
  return String(value).trim();
}

/** Writes a number without exponent. */
function expandExponent(value: string): string {
  const text = value.trim();
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/i.exec(text);
  if (!match) return text;
  const [, sign = "", integerPart = "", fraction = "", exponent = "0"] = match;
  const point = integerPart.length + Number(exponent);
  const digits = integerPart + fraction;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.slice(0, point).padEnd(point, "0")}.${digits.slice(point)}`;
}
