import type { JsonObject, JsonValue } from "@purse/protocol";
import { TimeSlicer } from "../../core/limits/timeSlicer.ts";

/** Texts shorter than this are parsed in one go: it takes some milliseconds. */
const MIN_CHARS = 64 * 1024;
/** Length of the parts of a longer one. */
const PART_CHARS = 32 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** An object or array whose text is parsed in parts. */
interface Frame {
  target: JsonObject | JsonValue[];
  /** Where its first key or item begins that has not been parsed; undefined right after a part that was parsed alone. */
  from: number | undefined;
}

/**
 * Parses the text of a stored object. Clients may store objects with hundreds of thousands of keys by many updates, and parsing
 * them would hold up the event loop: long ones are parsed in parts, between which others have their turns.
 */
export function parseObject(text: string): JsonObject | Promise<JsonObject> {
  const isLong = text.length >= MIN_CHARS && text.startsWith("{") && !text.includes('"__proto__"');
  return isLong ? parseInParts(text) : JSON.parse(text);
}

/** Goes on with an object once it is parsed: at once, unless it is parsed in parts. */
export function whenParsed<Result>(
  object: JsonObject | Promise<JsonObject>,
  next: (object: JsonObject) => Result | Promise<Result>,
): Result | Promise<Result> {
  return object instanceof Promise ? object.then(next) : next(object);
}

async function parseInParts(text: string): Promise<JsonObject> {
  const slicer = new TimeSlicer();
  const object: JsonObject = {};
  let frame: Frame = { target: object, from: 1 };
  const outerFrames: Frame[] = [];
  // The depth within the frame, where the key or item begins that is being read, and the object or array in it.
  let depth = 0;
  let item = 1;
  let container = 0;
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === 0x7b || code === 0x5b) {
      if (depth === 0) container = at;
      depth++;
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
      if (depth < 0) {
        addPart(frame, text, at);
        const outer = outerFrames.pop();
        if (!outer) break;
        frame = outer;
        depth = 0;
      }
    } else if (code === COMMA && depth === 0) {
      item = at + 1;
      if (frame.from === undefined) {
        frame.from = item;
      } else if (at - frame.from > PART_CHARS) {
        addPart(frame, text, at);
        frame.from = item;
        if (slicer.isExpired) await slicer.pause();
      }
    } else if (code !== COMMA) {
      continue;
    }
    if (depth > 0 && at - item > PART_CHARS) {
      // The object or array that is being read is long itself.
      addPart(frame, text, item - 1);
      frame.from = undefined;
      const target: JsonObject | JsonValue[] = text[container] === "{" ? {} : [];
      if (Array.isArray(frame.target)) frame.target.push(target);
      else frame.target[JSON.parse(text.slice(item, container).trim().slice(0, -1))] = target;
      outerFrames.push(frame);
      at = container;
      item = at + 1;
      depth = 0;
      frame = { target, from: item };
      if (slicer.isExpired) await slicer.pause();
    }
  }
  return object;
}

/** Adds the keys or items of a frame that have not been parsed, up to a position. */
function addPart({ target, from }: Frame, text: string, to: number): void {
  if (from === undefined || from >= to) return;
  const part = text.slice(from, to);
  if (Array.isArray(target)) for (const each of JSON.parse(`[${part}]`)) target.push(each);
  else Object.assign(target, JSON.parse(`{${part}}`));
}

/** Returns the position of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
