import { numberFormat } from "./numbers.ts";

const UNITS = [
  ["day", 86_400_000, 129_600_000],
  ["hour", 3_600_000, 5_400_000],
  ["minute", 60_000, 90_000],
  ["second", 1_000, 1_000],
] as const;

/** Formats a duration in ms in one unit: `8.5 ms`, `350 ms`, `1.2 sec`, `5 min`. */
export function formatDuration(
  ms: number,
  language: string,
  unitDisplay: "short" | "long" = "short",
): string {
  const [unit, size] = UNITS.find(([, , from]) => ms >= from) ?? (["millisecond", 1] as const);
  const value = ms / size;
  const maximumFractionDigits = value < 10 && unitDisplay === "short" ? 1 : 0;
  return numberFormat(language, { style: "unit", unit, unitDisplay, maximumFractionDigits }).format(value);
}
