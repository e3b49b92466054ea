import { ErrorCode, ProtocolError } from "@purse/protocol";
import { validateRegex } from "../../core/regex.ts";

/** Escapes that differ in PostgreSQL's advanced regular expressions. */
const ESCAPES: Readonly<Record<string, string>> = { b: "\\y", B: "\\Y", z: "\\Z", h: "[ \\t]" };

/**
 * Converts a pattern to PostgreSQL's syntax, with its flags embedded. Patterns that RE2 rejects are rejected here, too
 * (102), so that all databases accept the same ones.
 */
export function postgresPattern(source: string, flags: string): string {
  validateRegex(source, flags);
  const { text, flags: inner } = leadingFlags(source);
  const all = flags + inner;
  const lines = all.includes("m");
  const dots = all.includes("s");
  // p: `.` does not match line ends; w: `^` and `$` match at every line; n: both.
  const mode = lines ? (dots ? "w" : "n") : dots ? "s" : "p";
  return `(?${mode}${all.includes("i") ? "i" : ""}${all.includes("x") ? "x" : ""})${translate(text, all.includes("i"))}`;
}

function leadingFlags(source: string): { text: string; flags: string } {
  const match = /^\(\?([imsx]+)\)/.exec(source);
  return match ? { text: source.slice(match[0].length), flags: match[1] ?? "" } : { text: source, flags: "" };
}

function translate(source: string, ignoresCase: boolean): string {
  let result = "";
  for (let i = 0; i < source.length; i++) {
    const character = source[i] ?? "";
    if (character === "\\") {
      const next = source[i + 1] ?? "";
      if (next === "Q") {
        const end = source.indexOf("\\E", i + 2);
        result += source.slice(i + 2, end < 0 ? undefined : end).replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
        i = end < 0 ? source.length : end + 1;
        continue;
      }
      if (next === "p" || next === "P") {
        throw new ProtocolError(
          ErrorCode.INVALID_QUERY,
          "bad $regex: character classes by Unicode property are not supported on PostgreSQL",
        );
      }
      result += Object.hasOwn(ESCAPES, next) ? ESCAPES[next] : character + next;
      i += 1;
    } else if (character === "[") {
      const end = classEnd(source, i);
      const members = source.slice(i, end);
      result += ignoresCase ? withOtherCases(members) : members;
      i = end - 1;
    } else if (
      source.startsWith("(?P<", i) ||
      (source.startsWith("(?<", i) && /[A-Za-z]/.test(source[i + 3] ?? ""))
    ) {
      i = source.indexOf(">", i);
      result += "(";
    } else {
      const other = ignoresCase ? otherCase(character) : undefined;
      result += other === undefined ? character : `[${character}${other}]`;
    }
  }
  return result;
}

/**
 * The other case of a letter that is not ASCII; undefined if there is none. Values have the collation "C", under which
 * PostgreSQL ignores the case of ASCII letters only.
 */
function otherCase(character: string): string | undefined {
  if (character <= "\x7f") return undefined;
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
  const other = character === lower ? upper : lower;
  return other === character || other.length !== 1 ? undefined : other;
}

/** A bracket expression with the other cases of its members. The ends of ranges stay as they are. */
function withOtherCases(members: string): string {
  const others = [...members].filter((_, i, all) => all[i - 1] !== "-" && all[i + 1] !== "-");
  return `${members.slice(0, -1)}${others.map((each) => otherCase(each) ?? "").join("")}]`;
}

/** Returns the position after the bracket expression that begins at `from`. */
function classEnd(source: string, from: number): number {
  let i = from + 1;
  if (source[i] === "^") i += 1;
  if (source[i] === "]") i += 1;
  while (i < source.length && source[i] !== "]") i += source[i] === "\\" ? 2 : 1;
  return i + 1;
}
