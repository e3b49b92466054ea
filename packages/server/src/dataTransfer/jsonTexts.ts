/**
 * Splits a stream of JSON objects into their texts, without keeping more than one of them: one per line, over several
 * lines, or as the elements of one array. What is no object is a text of its own, up to the end of its line, as is an object
 * that was cut off before a line that begins with another one.
 */
export async function* jsonTexts(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  const splitter = new JsonSplitter();
  for await (const chunk of chunks) yield* splitter.add(chunk);
  yield* splitter.end();
}

class JsonSplitter {
  /** What changes the depth of a JSON text, or begins or ends a string in it. */
  readonly #marks = /["{}[\]\n\\]/g;
  /** What has been read of the current text. */
  #text = "";
  /** How many objects and arrays are open in it. */
  #depth = 0;
  #isInString = false;
  /** The position in the text from which on nothing was looked at. */
  #position = 0;

  *add(chunk: string): Generator<string> {
    this.#text += chunk;
    this.#marks.lastIndex = this.#position;
    for (let mark = this.#marks.exec(this.#text); mark; mark = this.#marks.exec(this.#text)) {
      const { index } = mark;
      const after = index + 1;
      if (mark[0] === "\\" || (mark[0] === "\n" && this.#depth > 0)) {
        // The next character decides; it may be in the next chunk.
        if (after === this.#text.length) {
          this.#position = index;
          return;
        }
      }
      const end = this.#endAt(mark[0], index);
      if (end === undefined) continue;
      yield* this.#take(end);
      this.#marks.lastIndex = this.#position;
    }
    this.#position = this.#text.length;
  }

  *end(): Generator<string> {
    yield* this.#take(this.#text.length);
  }

  /** Takes a mark into account. Returns where the current text ends if it does. */
  #endAt(mark: string, index: number): number | undefined {
    if (this.#isInString) {
      if (mark === "\\") this.#marks.lastIndex = index + 2;
      else if (mark === '"') this.#isInString = false;
      else if (mark === "\n" && this.#isCutOff(index)) return index + 1;
      return undefined;
    }
    switch (mark) {
      case '"':
        this.#isInString = this.#depth > 0;
        return undefined;
      case "{":
        this.#depth += 1;
        return undefined;
      case "[":
        // Outside of objects, it begins the array of all objects.
        if (this.#depth > 0) this.#depth += 1;
        return undefined;
      case "}":
      case "]":
        if (this.#depth === 0) return undefined;
        this.#depth -= 1;
        return this.#depth === 0 ? index + 1 : undefined;
      case "\n":
        return this.#depth === 0 || this.#isCutOff(index) ? index + 1 : undefined;
      default:
        return undefined;
    }
  }

  /** Whether the line after a line feed begins with another object although this one has not ended. */
  #isCutOff(index: number): boolean {
    return this.#depth > 0 && this.#text[index + 1] === "{";
  }

  *#take(end: number): Generator<string> {
    const text = this.#text
      .slice(0, end)
      .replace(/^[\s,[\]]+/, "")
      .replace(/[\s,]+$/, "");
    this.#text = this.#text.slice(end);
    this.#position = 0;
    this.#depth = 0;
    this.#isInString = false;
    if (text !== "") yield text;
  }
}
