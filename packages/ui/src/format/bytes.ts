import { numberFormat } from "./numbers.ts";

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** Formats a size in bytes, for example `1.4 MB`. */
export function formatBytes(size: number, language: string): string {
  let unitIndex = 0;
  let amount = size;
  while (amount >= 1000 && unitIndex < UNITS.length - 1) {
    amount /= 1000;
    unitIndex += 1;
  }
  return numberFormat(language, {
    style: "unit",
    unit: UNITS[unitIndex] ?? "byte",
    unitDisplay: unitIndex === 0 ? "long" : "short",
    maximumFractionDigits: amount < 100 ? 1 : 0,
  }).format(amount);
}
