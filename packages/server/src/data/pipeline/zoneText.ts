import { HOUR_MS } from "./calendar.ts";
import { parseOffset } from "./timeZones.ts";

/** Hours from UTC of the abbreviations that texts of dates have. */
const ABBREVIATIONS: Readonly<Record<string, number>> = {
  UTC: 0,
  GMT: 0,
  Z: 0,
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
  WET: 0,
  WEST: 1,
  BST: 1,
  CET: 1,
  CEST: 2,
  EET: 2,
  EEST: 3,
  MSK: 3,
  JST: 9,
};

/** Parses the offset that a text of a date has: `Z`, `+02:00`, `GMT+02`, `EST`, a military letter. Returns ms. */
export function parseZoneText(text: string): number | undefined {
  const [, name = "", offset = ""] = /^([A-Za-z]*)(.*)$/.exec(text) ?? [];
  const upper = name.toUpperCase();
  if (name === "") return parseOffset(offset);
  if (offset !== "") return upper === "GMT" || upper === "UTC" ? parseOffset(offset) : undefined;
  const hours = Object.hasOwn(ABBREVIATIONS, upper) ? ABBREVIATIONS[upper] : militaryHours(upper);
  return hours === undefined ? undefined : hours * HOUR_MS;
}

/** A to M without J are east of UTC, N to Y west of it. */
function militaryHours(letter: string): number | undefined {
  if (letter.length !== 1) return undefined;
  const east = "ABCDEFGHIKLM".indexOf(letter);
  const west = "NOPQRSTUVWXY".indexOf(letter);
  return east >= 0 ? east + 1 : west >= 0 ? -(west + 1) : undefined;
}
