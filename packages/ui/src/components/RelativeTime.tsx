import { useEffect, useState } from "react";
import { useTranslation } from "../i18n/TranslationContext.tsx";

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** Tolerated clock skew between server and browser, in ms. */
const CLOCK_SKEW_MS = 10_000;

/** Older times are dates, in s. */
const MAX_AGE_SECONDS = 7 * 86_400;

/** Whether a time is shown as an age instead of a date. Both are in ms since 1970. */
export function isRelativeTime(then: number, now: number): boolean {
  return Math.abs(Math.round((then - now) / 1000)) < MAX_AGE_SECONDS;
}

/** Formats a time of the last week as `3 minutes ago`, and others as a date. Both times are in ms since 1970. */
export function formatRelativeTime(then: number, now: number, language: string): string {
  const isAhead = then > now && then - now <= CLOCK_SKEW_MS;
  const seconds = isAhead ? 0 : Math.round((then - now) / 1000);
  if (!isRelativeTime(then, now))
    return new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(then);
  // "yesterday" is a calendar term, so elapsed time is always numeric.
  const format = new Intl.RelativeTimeFormat(language, { numeric: seconds === 0 ? "auto" : "always" });
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? (["second", 1] as const);
  return format.format(Math.trunc(seconds / size), unit);
}

/** A relative time that updates itself, with the exact time and time zone in its title. */
export function RelativeTime({ at }: { at: Date | string | number }) {
  const { language } = useTranslation();
  const then = new Date(at);
  const [, forceUpdate] = useState(0);
  // Uses the time of rendering rather than of the last tick, so that new entries are never in the future.
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
