/** An amount as people type it (`1.5`, `1,5`) in the smallest unit; undefined where it is none. */
export function parseAmount(text: string, decimals: number): bigint | undefined {
  const clean = text.trim().replace(",", ".");
  const match = /^(\d{1,30})?(?:\.(\d*))?$/.exec(clean);
  if (!match || clean === "" || clean === ".") return undefined;
  const [, whole = "0", fraction = ""] = match;
  if (fraction.length > decimals) return undefined;
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

/** The whole amount, every digit that counts: `1234.5`. */
export function exactAmount(value: bigint, decimals: number): string {
  const digits = value.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = decimals === 0 ? "" : digits.slice(-decimals).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** The amount for the eye: grouped, by locale, at most six digits behind the point, never shown as more than it is. */
export function displayAmount(value: bigint, decimals: number, locale?: string): string {
  const [whole = "0", fraction = ""] = exactAmount(value, decimals).split(".");
  const kept = fraction.slice(0, 6).replace(/0+$/, "");
  const grouped = BigInt(whole).toLocaleString(locale);
  if (kept === "") {
    const point = decimalPoint(locale);
    return fraction !== "" && whole === "0" ? `< 0${point}000001` : grouped;
  }
  return `${grouped}${decimalPoint(locale)}${kept}`;
}

function decimalPoint(locale?: string): string {
  return (1.5).toLocaleString(locale).charAt(1);
}
