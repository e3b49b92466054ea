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
/** Nobody's device takes more to be told. */
const LONGEST = 512;

/**
 * What a User-Agent header says of a device, in words and no more: `Firefox, Linux`; of other programs their name, as
 * `okhttp`. Versions and models are left out. Undefined where it says nothing.
 */
export function deviceOf(userAgent: string | undefined): string | undefined {
  const said = (userAgent ?? "").slice(0, LONGEST);
  const find = (names: readonly [RegExp, string][]) => names.find(([sign]) => sign.test(said))?.[1];
  const app = find(APPS) ?? /^[A-Za-z][\w.-]{0,30}/.exec(said)?.[0];
  const words = [app === "Mozilla" ? undefined : app, find(SYSTEMS)].filter((each) => each !== undefined);
  return words.length === 0 ? undefined : words.join(", ");
}
