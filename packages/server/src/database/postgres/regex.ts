import { characterRanges, validateRegex, withoutComments } from "../../core/regex.ts";

/** PostgreSQL's maximum of a counted repetition. */
const MAX_REPETITIONS = 255;
const SURROGATES = [0xd800, 0xdfff] as const;
const LAST = 0x10ffff;
/** Escapes of single characters. */
const CONTROLS: Readonly<Record<string, string>> = {
  a: "\x07",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
/** Escapes of positions, which PostgreSQL names otherwise; also those of lines are positions. */
const POSITIONS: Readonly<Record<string, string>> = { A: "\\A", z: "\\Z", b: "\\y", B: "\\Y" };
const IS_POSITION = /^(?:\^|\$|\\[AZyY])$/;

interface Flags {
  ignoresCase: boolean;
  lines: boolean;
  dotMatchesLineEnd: boolean;
}

/** The alternatives of a group so far: each piece is one atom with its quantifier, or `|`. */
interface Group {
  pieces: string[];
  /** The flags at the end of what has been read of it. */
  flags: Flags;
}

/**
 * Translates a pattern of RE2 to PostgreSQL's syntax, so that both find the same texts. Sets of characters become explicit
 * ranges, because PostgreSQL knows those of ASCII only, and those of RE2 with other members. Throws 102 for patterns that
 * RE2 rejects, so that all databases accept the same ones.
 */
export function postgresPattern(source: string, flags: string): string {
  validateRegex(source, flags);
  const pattern = flags.includes("x") ? withoutComments(source) : source;
  // w: `^` and `$` match at every line; s: at the ends of the text. `.` matches line ends in both.
  const mode = flags.includes("m") || /\(\?[a-zA-Z]*m/.test(pattern) ? "w" : "s";
  return `(?${mode})${new Translation(pattern, flags, mode === "w").text()}`;
}

class Translation {
  readonly #source: string;
  readonly #hasLines: boolean;
  readonly #outer: Group[] = [];
  #group: Group;
  #position = 0;

  constructor(source: string, flags: string, hasLines: boolean) {
    this.#source = source;
    this.#hasLines = hasLines;
    const has = (flag: string) => flags.includes(flag);
    this.#group = {
      pieces: [],
      flags: { ignoresCase: has("i"), lines: has("m"), dotMatchesLineEnd: has("s") },
    };
  }

  text(): string {
    while (this.#position < this.#source.length) this.#next();
    return this.#group.pieces.join("");
  }

  #next(): void {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#position) ?? 0);
    const { lines, dotMatchesLineEnd } = this.#group.flags;
    switch (character) {
      case "\\":
        this.#escape();
        return;
      case "[":
        this.#class(this.#source.slice(this.#position, classEnd(this.#source, this.#position)));
        return;
      case "(":
        this.#open();
        return;
      case ")":
        this.#close();
        return;
      case "*":
        this.#repeat("*", 0, undefined);
        return;
      case "+":
        this.#repeat("+", 1, undefined);
        return;
      case "?":
        this.#repeat("?", 0, 1);
        return;
      case "{": {
        const [text, min, comma, max] = this.#match(/\{(\d+)(,?)(\d*)\}/y) ?? [];
        if (text === undefined) break;
        this.#repeat(text, Number(min), max ? Number(max) : comma ? undefined : Number(min));
        return;
      }
      case "|":
        this.#push("|", 1);
        return;
      case "^":
        this.#push(lines || !this.#hasLines ? "^" : "\\A", 1);
        return;
      case "$":
        this.#push(lines || !this.#hasLines ? "$" : "\\Z", 1);
        return;
      case ".":
        this.#push(dotMatchesLineEnd ? "." : "[^\\n]", 1);
        return;
    }
    this.#push(this.#literal(character), character.length);
  }

  #push(piece: string, length: number): void {
    this.#group.pieces.push(piece);
    this.#position += length;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#position;
    return pattern.exec(this.#source) ?? undefined;
  }

  #escape(): void {
    const [quoted, text = ""] = this.#match(/\\Q([\s\S]*?)(?:\\E|$)/y) ?? [];
    if (quoted !== undefined) {
      for (const character of text) this.#group.pieces.push(this.#literal(character));
      this.#position += quoted.length;
      return;
    }
    const [set] = this.#match(/\\(?:[dDwWsS]|[pP](?:\{[^}]*\}|[A-Za-z]))/y) ?? [];
    if (set !== undefined) {
      this.#class(set);
      return;
    }
    const [code, braced, hex, octal] = this.#match(/\\(?:x\{([^}]*)\}|x(..)|([0-7]{1,3}))/y) ?? [];
    if (code !== undefined) {
      const point =
        octal === undefined ? Number.parseInt(braced ?? hex ?? "", 16) : Number.parseInt(octal, 8);
      this.#push(this.#literal(String.fromCodePoint(point)), code.length);
      return;
    }
    const [whole = "\\", character = ""] = this.#match(/\\([\s\S])/y) ?? [];
    const position = Object.hasOwn(POSITIONS, character) ? POSITIONS[character] : undefined;
    const control = Object.hasOwn(CONTROLS, character) ? CONTROLS[character] : undefined;
    this.#push(position ?? this.#literal(control ?? character), whole.length);
  }

  /** A character that stands for itself, and with `i` for its other cases. */
  #literal(character: string): string {
    if (!this.#group.flags.ignoresCase) return quoted(character);
    const other = otherCaseOfAscii(character);
    if (other !== undefined) return `[${character}${other}]`;
    const ranges = storable(characterRanges(`\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`, "i"));
    const isAlone = ranges.length === 1 && ranges[0]?.[0] === ranges[0]?.[1];
    return isAlone ? quoted(character) : bracket(ranges);
  }

  #class(text: string): void {
    const flags = this.#group.flags.ignoresCase ? "i" : "";
    this.#push(bracket(characterRanges(text, flags)), text.length);
  }

  #open(): void {
    const [start, on, off, end] = this.#match(/\(\?([imsU]*)(?:-([imsU]*))?([:)])/y) ?? [];
    const flags = { ...this.#group.flags };
    if (start === undefined) {
      const [capture = "("] = this.#match(/\((?:\?P?<[^>]*>)?/y) ?? [];
      this.#position += capture.length;
    } else {
      this.#position += start.length;
      setFlags(flags, on ?? "", true);
      setFlags(flags, off ?? "", false);
      if (end === ")") {
        this.#group.flags = flags;
        return;
      }
    }
    this.#outer.push(this.#group);
    this.#group = { pieces: [], flags };
  }

  #close(): void {
    const text = `(?:${this.#group.pieces.join("")})`;
    this.#group = this.#outer.pop() ?? this.#group;
    this.#push(text, 1);
  }

  /** Whether as much or as little as possible is matched makes no difference to what is found. */
  #repeat(quantifier: string, min: number, max: number | undefined): void {
    const atom = this.#group.pieces.pop() ?? "";
    const [, lazy = ""] = /^(\??)/.exec(this.#source.slice(this.#position + quantifier.length)) ?? [];
    const repeatable = IS_POSITION.test(atom) ? `(?:${atom})` : atom;
    this.#push(repeated(repeatable, min, max), quantifier.length + lazy.length);
  }
}

function setFlags(flags: Flags, names: string, value: boolean): void {
  if (names.includes("i")) flags.ignoresCase = value;
  if (names.includes("m")) flags.lines = value;
  if (names.includes("s")) flags.dotMatchesLineEnd = value;
}

function repeated(atom: string, min: number, max: number | undefined): string {
  if (max === undefined && min <= 1) return `${atom}${min === 0 ? "*" : "+"}`;
  if (min <= MAX_REPETITIONS && (max ?? 0) <= MAX_REPETITIONS) return `${atom}{${min},${max ?? ""}}`;
  const parts: string[] = [];
  const times = (count: number, least: (part: number) => number) => {
    for (let left = count; left > 0; left -= MAX_REPETITIONS) {
      const part = Math.min(left, MAX_REPETITIONS);
      parts.push(`${atom}{${least(part)},${part}}`);
    }
  };
  times(min, (part) => part);
  if (max === undefined) parts.push(`${atom}*`);
  else times(max - min, () => 0);
  return `(?:${parts.join("")})`;
}

/** The other case of a letter of ASCII that has no third one, such as the Kelvin sign of k. */
function otherCaseOfAscii(character: string): string | undefined {
  if (!/^[A-Za-z]$/.test(character) || /[kKsS]/.test(character)) return undefined;
  return character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase();
}

function quoted(character: string): string {
  return /^[\x20-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]$/.test(character) ? `\\${character}` : character;
}

type Range = readonly [from: number, to: number];

/** A bracket expression; the complement if that is shorter. */
function bracket(ranges: readonly Range[]): string {
  const included = storable(ranges);
  const others = complement(included);
  if (others.length === 0) return ".";
  if (included.length === 0) return "[^\\u0001-\\U0010ffff]";
  return others.length < included.length
    ? `[^${others.map(rangeText).join("")}]`
    : `[${included.map(rangeText).join("")}]`;
}

/** Without what no text contains: NUL, and halves of surrogate pairs. */
function storable(ranges: readonly Range[]): Range[] {
  const [low, high] = SURROGATES;
  return ranges
    .flatMap(([from, to]): Range[] => [
      [Math.max(from, 1), Math.min(to, low - 1)],
      [Math.max(from, high + 1), Math.min(to, LAST)],
    ])
    .filter(([from, to]) => from <= to);
}

function complement(ranges: readonly Range[]): Range[] {
  const result: Range[] = [];
  let next = 1;
  for (const [from, to] of ranges) {
    if (from > next) result.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= LAST) result.push([next, LAST]);
  return storable(result);
}

function rangeText([from, to]: Range): string {
  return from === to ? codeText(from) : `${codeText(from)}-${codeText(to)}`;
}

function codeText(point: number): string {
  const text = String.fromCodePoint(point);
  if (/^[0-9A-Za-z]$/.test(text)) return text;
  const hex = point.toString(16);
  return point > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}

/** Returns the position after the set of characters that begins at `from`. */
function classEnd(source: string, from: number): number {
  let i = from + 1;
  if (source[i] === "^") i += 1;
  if (source[i] === "]") i += 1;
  while (i < source.length && source[i] !== "]") {
    const end = source.startsWith("[:", i) ? source.indexOf(":]", i + 2) : -1;
    if (end >= 0) i = end + 2;
    else i += source[i] === "\\" ? 2 : 1;
  }
  return i + 1;
}
