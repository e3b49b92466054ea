/**
 * Estimates the number of instructions that RE2 compiles a pattern to: an upper bound, apart from simplifications.
 * Counted repetitions dominate: `(a{100}){100}` is 10,000 instructions in eleven characters. Makes one pass over the
 * text and returns some number for invalid patterns, too.
 */
export function patternSize(source: string): number {
  /** Sizes of the open groups so far, the innermost last. */
  const groups: number[] = [0];
  /** Size of the last atom, which a following repetition multiplies. */
  let last = 0;
  let at = 0;

  const add = (size: number) => {
    groups[groups.length - 1] = (groups.at(-1) ?? 0) + size;
    last = size;
  };

  while (at < source.length) {
    const character = source[at];
    if (character === "\\") {
      const length = escapeLength(source, at);
      const quoted = source[at + 1] === "Q" ? length : 1;
      // A repetition after a quote only applies to its last character; counting the whole quote is an upper bound.
      add(quoted);
      at += length;
    } else if (character === "[") {
      add(1);
      at = classEnd(source, at);
    } else if (character === "(") {
      groups.push(2);
      at += 1;
    } else if (character === ")") {
      const size = groups.length > 1 ? (groups.pop() ?? 0) : 0;
      add(size);
      at += 1;
    } else if (character === "{") {
      const [text, min = "", max] = /^\{(\d{1,6})(?:,(\d{0,6}))?\}/.exec(source.slice(at, at + 20)) ?? [];
      if (text === undefined) {
        add(1);
        at += 1;
      } else {
        const times = Math.max(Number(min) + (max === "" ? 1 : 0), Number(max ?? 0), 1);
        const size = last + 1;
        add(size * times - last);
        last = size * times;
        at += text.length;
      }
    } else {
      add(1);
      at += 1;
    }
  }
  return groups.reduce((sum, size) => sum + size, 0);
}

/** Returns the length of an escape; `\Q…\E` and `\p{…}` count as one. */
function escapeLength(source: string, at: number): number {
  const next = source[at + 1];
  if (next === "Q") {
    const end = source.indexOf("\\E", at + 2);
    return (end < 0 ? source.length : end + 2) - at;
  }
  if ((next === "p" || next === "P" || next === "x") && source[at + 2] === "{") {
    const end = source.indexOf("}", at);
    return (end < 0 ? source.length : end + 1) - at;
  }
  return 2;
}

/** Returns the position after the bracket expression that begins at `from`. */
function classEnd(source: string, from: number): number {
  let at = from + 1;
  if (source[at] === "^") at += 1;
  if (source[at] === "]") at += 1;
  while (at < source.length && source[at] !== "]") {
    if (source[at] === "\\") at += 2;
    else if (source.startsWith("[:", at)) {
      const end = source.indexOf(":]", at);
      at = end < 0 ? at + 1 : end + 2;
    } else at += 1;
  }
  return at + 1;
}
