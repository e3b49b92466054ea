import type { OwnSession } from "@purse/react";

const BROWSERS: readonly [RegExp, string][] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrom(e|ium)\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** What a browser says of itself, in two words: `Firefox, Linux`. */
export function deviceOf(userAgent: string): string {
  const find = (names: readonly [RegExp, string][]) => names.find(([sign]) => sign.test(userAgent))?.[1];
  return [find(BROWSERS), find(SYSTEMS)].filter((each) => each !== undefined).join(", ");
}

/** By what a session was begun: `password`, `moralisEth` for a wallet, or the name of another provider. */
export function providerOf({ createdWith }: OwnSession): string {
  if (typeof createdWith !== "object" || createdWith === null || !("authProvider" in createdWith)) return "";
  return typeof createdWith.authProvider === "string" ? createdWith.authProvider : "";
}
