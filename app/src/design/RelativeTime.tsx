import { useEffect, useState } from "react";
import { useTranslation } from "../i18n/TranslationContext.tsx";

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** Clocks differ: what a server says of so many ms ahead is now. */
const CLOCK_SKEW_MS = 10_000;

/** How long ago, as `3 minutes ago`; `then` and `now` in ms since 1970. */
export function formatRelativeTime(then: number, now: number, language: string): string {
  const isAhead = then > now && then - now <= CLOCK_SKEW_MS;
  const seconds = isAhead ? 0 : Math.round((then - now) / 1000);
  // Words as "yesterday" and "last month" name days and months of the calendar; an elapsed time is counted.
  const format = new Intl.RelativeTimeFormat(language, { numeric: seconds === 0 ? "auto" : "always" });
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? (["second", 1] as const);
  return format.format(Math.trunc(seconds / size), unit);
}

/** How long ago, kept true while it is shown, with the exact time and its zone in the title. */
export function RelativeTime({ at }: { at: Date | string | number }) {
  const { language } = useTranslation();
  const then = new Date(at);
  const [, forceUpdate] = useState(0);
  // As it is rendered, not as the clock stood at the last tick: what has just come is not in the future.
  const now = Date.now();
  const isFresh = now - then.getTime() < 3_600_000;
  useEffect(() => {
    const timer = setInterval(() => forceUpdate((before) => before + 1), isFresh ? 15_000 : 600_000);
    return () => clearInterval(timer);
  }, [isFresh]);
  if (Number.isNaN(then.getTime())) return null;
  const exact = then.toLocaleString(language, { dateStyle: "full", timeStyle: "long" });
  return (
    <time dateTime={then.toISOString()} title={exact} className="moment">
      {formatRelativeTime(then.getTime(), now, language)}
    </time>
  );
}
