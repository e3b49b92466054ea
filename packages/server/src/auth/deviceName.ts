const APPS: readonly [RegExp, string][] = [
  [/Edg(A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/(Firefox|FxiOS)\//, "Firefox"],
  [/(HeadlessChrome|Chrome|Chromium|CriOS)\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone|iPod/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/CrOS/, "ChromeOS"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/Linux/, "Linux"],
];
/** The rest of a longer User-Agent header is ignored. */
const MAX_USER_AGENT_LENGTH = 512;

/**
 * Returns a short device name for a User-Agent header, such as `Firefox, Linux`, or the name of another program, such
 * as `okhttp`. Versions and models are left out. Undefined if the header names neither.
 */
export function deviceNameOf(userAgent: string | undefined): string | undefined {
  const header = (userAgent ?? "").slice(0, MAX_USER_AGENT_LENGTH);
  const find = (names: readonly [RegExp, string][]) => names.find(([pattern]) => pattern.test(header))?.[1];
  const app = find(APPS) ?? /^[A-Za-z][\w.-]{0,30}/.exec(header)?.[0];
  const labels = [app === "Mozilla" ? undefined : app, find(SYSTEMS)].filter((each) => each !== undefined);
  return labels.length === 0 ? undefined : labels.join(", ");
}
