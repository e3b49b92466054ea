import { useEffect, useState } from "react";
import { useTexts } from "../texts/TextsContext.tsx";

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** Clocks differ: what a server says of so many ms ahead is now. */
const CLOCKS_MS = 10_000;

/** How long ago, as `3 minutes ago`; `then` and `now` in ms since 1970. */
export function ago(then: number, now: number, language: string): string {
  const isAhead = then > now && then - now <= CLOCKS_MS;
  const seconds = isAhead ? 0 : Math.round((then - now) / 1000);
  // Words as "yesterday" and "last month" name days and months of the calendar; an elapsed time is counted.
  const format = new Intl.RelativeTimeFormat(language, { numeric: seconds === 0 ? "auto" : "always" });
  const [unit, size] = STEPS.find(([, each]) => Math.abs(seconds) >= each) ?? (["second", 1] as const);
  return format.format(Math.trunc(seconds / size), unit);
}

/** How long ago, kept true while it is shown, with the exact time and its zone in the title. */
export function Moment({ at }: { at: Date | string | number }) {
  const { language } = useTexts();
  const then = new Date(at);
  const [, setTick] = useState(0);
  // As it is rendered, not as the clock stood at the last tick: what has just come is not in the future.
  const now = Date.now();
  const isFresh = now - then.getTime() < 3_600_000;
  useEffect(() => {
    const timer = setInterval(() => setTick((before) => before + 1), isFresh ? 15_000 : 600_000);
    return () => clearInterval(timer);
  }, [isFresh]);
  if (Number.isNaN(then.getTime())) return null;
  const exact = then.toLocaleString(language, { dateStyle: "full", timeStyle: "long" });
  return (
    <time dateTime={then.toISOString()} title={exact} className="moment">
      {ago(then.getTime(), now, language)}
    </time>
  );
}
