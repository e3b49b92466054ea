export interface TextPosition {
  /** From 1. */
  line: number;
  /** From 1, in UTF-16 units. */
  column: number;
}

const SPACE = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none in its texts.
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Deeper values are not searched. */
const MAX_DEPTH = 500;

/** Where a text stops being JSON; undefined if it is JSON. Engines say so in ways of their own, or not at all. */
export function jsonErrorPosition(text: string): TextPosition | undefined {
  let at = 0;
  const takes = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  const takesMark = (mark: string): boolean => {
    takes(SPACE);
    if (text[at] !== mark) return false;
    at += 1;
    return true;
  };
  const takesMembers = (end: string, takesMember: () => boolean): boolean => {
    if (takesMark(end)) return true;
    while (takesMember()) {
      if (takesMark(end)) return true;
      if (!takesMark(",")) return false;
    }
    return false;
  };
  const takesValue = (depth: number): boolean => {
    if (depth > MAX_DEPTH) return false;
    if (takesMark("[")) return takesMembers("]", () => takesValue(depth + 1));
    if (!takesMark("{")) return takes(STRING) || takes(SCALAR);
    return takesMembers("}", () => {
      takes(SPACE);
      return takes(STRING) && takesMark(":") && takesValue(depth + 1);
    });
  };
  const isValue = takesValue(0);
  takes(SPACE);
  if (isValue && at === text.length) return undefined;
  const lines = text.slice(0, at).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}
