const SECONDS: readonly [RegExp, number][] = [
  [/^(yr|year)s?$/, 365 * 86_400],
  [/^(wk|week)s?$/, 7 * 86_400],
  [/^(d|days?)$/, 86_400],
  [/^(hr|hour)s?$/, 3_600],
  [/^(min|minute)s?$/, 60],
  [/^(sec|second)s?$/, 1],
];

/**
 * Parses a relative time: `in 2 weeks 1 day`, `12 hours ago`, `now`. Returns ms since the epoch. Throws Error with the
 * reason if it is invalid.
 */
export function relativeTime(text: string, now: number): number {
  if (text.length > 256) throw new Error("Invalid time string. It is too long.");
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 1 && words[0] === "now") return now;
  const isFuture = words[0] === "in";
  const isPast = words.at(-1) === "ago";
  if (!isFuture && !isPast) throw new Error("Time should either start with 'in' or end with 'ago'");
  if (isFuture && isPast) throw new Error("Time cannot have both 'in' and 'ago'");
  const tokens = isFuture ? words.slice(1) : words.slice(0, -1);
  if (tokens.length % 2 !== 0) throw new Error("Invalid time string. Dangling unit or number.");
  let seconds = 0;
  for (let i = 0; i < tokens.length; i += 2) {
    const [number = "", unit = ""] = tokens.slice(i, i + 2);
    if (!/^-?\d{1,9}$/.test(number)) throw new Error(`'${number.slice(0, 64)}' is not an integer.`);
    const length = SECONDS.find(([name]) => name.test(unit))?.[1];
    if (length === undefined) throw new Error(`Invalid interval: '${unit.slice(0, 64)}'`);
    seconds += Number(number) * length;
  }
  const time = now + (isFuture ? 1_000 : -1_000) * seconds;
  if (Math.abs(time) > 8.64e15) throw new Error("The time is out of range.");
  return time;
}
