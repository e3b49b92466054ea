/** Conversions between amounts as people write them and the smallest unit (wei) as text. */
export const Units = {
  /** Ether to wei. */
  ETH: (value: number | string): string => Units.Token(value, 18),

  /** A token amount to its smallest unit. Throws for what is no amount or has more decimals. */
  Token(value: number | string, decimals = 18): string {
    const match = /^(-?)(\d*)\.?(\d*)$/.exec(plain(value));
    const [, sign = "", whole = "", fraction = ""] = match ?? [];
    if (!match || (whole === "" && fraction === "")) throw new Error(`Not an amount: ${value}`);
    const digits = fraction.replace(/0+$/, "");
    if (digits.length > decimals) throw new Error(`${value} has more than ${decimals} decimals`);
    return BigInt(`${sign}${whole}${digits.padEnd(decimals, "0")}`).toString();
  },

  /** The smallest unit to a token amount. */
  FromWei(value: number | string | bigint, decimals = 18): string {
    const wei = BigInt(typeof value === "number" ? plain(value) : value);
    const digits = (wei < 0n ? -wei : wei).toString().padStart(decimals + 1, "0");
    const whole = digits.slice(0, digits.length - decimals);
    const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
    return `${wei < 0n ? "-" : ""}${whole}${fraction ? `.${fraction}` : ""}`;
  },
};

/** A number without exponent. */
function plain(value: number | string): string {
  const text = String(value).trim();
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/i.exec(text);
  if (!match) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.slice(0, point).padEnd(point, "0")}.${digits.slice(point)}`;
}
