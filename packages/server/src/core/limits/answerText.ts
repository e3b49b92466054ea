import { isRecord } from "@purse/protocol";
import type { AnswerSize } from "./answerSize.ts";
import { TimeSlicer } from "./timeSlicer.ts";

/** What is serialized at once, in characters; larger values in parts, between which other work is done. */
const PART_CHARS = 64 * 1024;
/** Longer texts are escaped in parts. */
const TEXT_PART_CHARS = 1024 * 1024;
/** Answers of at most this size, in characters, are serialized without being measured before. */
const UNMEASURED_CHARS = 1024 * 1024;

/** A part of a value's JSON. */
interface Part {
  /** Its length, without what escapes add. */
  chars: number;
  text(): string;
}

/**
 * The length of a value's JSON, at least: without what escapes and the digits of numbers add. Stops beyond `max`. Takes no
 * longer for long texts than for short ones.
 */
export function jsonLength(value: unknown, max = Number.POSITIVE_INFINITY): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value === "boolean" || value === null) return 4;
  if (typeof value !== "object") return 1;
  let chars = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      chars += jsonLength(item, max - chars) + 1;
      if (chars > max) break;
    }
    return chars;
  }
  for (const [name, member] of Object.entries(value)) {
    chars += name.length + 4 + jsonLength(member, max - chars);
    if (chars > max) break;
  }
  return chars;
}

/**
 * The JSON of a value in chunks, serialized in slices of time once it has been charged. Rejects with 116 and 124 (HTTP
 * 503).
 */
export async function answerChunks(value: unknown, answer: AnswerSize): Promise<string[]> {
  if (jsonLength(value, PART_CHARS) <= PART_CHARS) return [chargedText(value, answer)];
  const slices = new TimeSlicer();
  await chargeAll([value], answer, slices);
  return chunksOf(value, answer, slices);
}

/**
 * The JSON of each value. Nothing is serialized before all of them have been charged, unless `knownChars`, the most that
 * they can have, is small. Rejects like `answerChunks`.
 */
export async function answerTexts(
  values: readonly unknown[],
  answer: AnswerSize,
  knownChars = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const slices = new TimeSlicer();
  const texts: string[] = [];
  if (knownChars <= UNMEASURED_CHARS) {
    for (const value of values) {
      if (slices.isExpired) await slices.pause();
      texts.push(chargedText(value, answer));
    }
    return texts;
  }
  await chargeAll(values, answer, slices);
  for (const value of values) texts.push((await chunksOf(value, answer, slices)).join(""));
  return texts;
}

/** Charges values that stay values. Returns the length of their JSON, about. Rejects like `answerChunks`. */
export function chargeValues(values: readonly unknown[], answer: AnswerSize): Promise<number> {
  return chargeAll(values, answer, new TimeSlicer());
}

async function chargeAll(
  values: readonly unknown[],
  answer: AnswerSize,
  slices: TimeSlicer,
): Promise<number> {
  let charged = 0;
  for (const value of values) {
    if (slices.isExpired) await slices.pause();
    for (const { chars } of partsOf(value)) {
      charged += chars;
      answer.assertFits(charged);
      if (slices.isExpired) await slices.pause();
    }
  }
  await answer.reserve(charged);
  return charged;
}

/** Serializes a value that has been charged, except for what escapes add. */
async function chunksOf(value: unknown, answer: AnswerSize, slices: TimeSlicer): Promise<string[]> {
  const chunks: string[] = [];
  let chunk = "";
  for (const part of partsOf(value)) {
    if (slices.isExpired) await slices.pause();
    const text = part.text();
    if (text.length > part.chars) answer.charge(text.length - part.chars);
    chunk += text;
    if (chunk.length >= PART_CHARS) {
      chunks.push(chunk);
      chunk = "";
    }
  }
  if (chunk !== "") chunks.push(chunk);
  return chunks;
}

function chargedText(value: unknown, answer: AnswerSize): string {
  const text = JSON.stringify(value) ?? "null";
  answer.charge(text.length);
  return text;
}

function* partsOf(value: unknown): Generator<Part> {
  const chars = jsonLength(value, PART_CHARS);
  if (typeof value === "string" && value.length > TEXT_PART_CHARS) yield* partsOfText(value);
  else if (chars <= PART_CHARS || typeof value === "string")
    yield { chars, text: () => JSON.stringify(value) ?? "null" };
  else if (Array.isArray(value)) yield* partsOfMembers(value.values(), "[", "]");
  else if (isRecord(value) && typeof value.toJSON === "function") yield* partsOf(value.toJSON(""));
  else if (isRecord(value)) yield* partsOfMembers(membersOf(value), "{", "}");
}

/** The members of an object that JSON has, each as the text of its name and its value. */
function* membersOf(object: Record<string, unknown>): Generator<Member> {
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined || typeof value === "function") continue;
    yield new Member(`${JSON.stringify(name)}:`, value);
  }
}

class Member {
  readonly name: string;
  readonly value: unknown;

  constructor(name: string, value: unknown) {
    this.name = name;
    this.value = value;
  }

  get text(): string {
    return this.name + JSON.stringify(this.value);
  }
}

/** Small members are joined to one part. */
function* partsOfMembers(members: Iterable<unknown>, open: string, close: string): Generator<Part> {
  let small: unknown[] = [];
  let smallChars = 0;
  let separator = open;
  const takeSmall = (): Part => {
    const taken = small;
    const start = separator;
    const chars = smallChars + start.length;
    small = [];
    smallChars = 0;
    separator = ",";
    return { chars, text: () => start + taken.map(textOf).join(",") };
  };
  for (const member of members) {
    const { name, value } = member instanceof Member ? member : { name: "", value: member };
    const chars = name.length + jsonLength(value, PART_CHARS) + 1;
    if (chars <= PART_CHARS) {
      small.push(member);
      smallChars += chars;
      if (smallChars > PART_CHARS) yield takeSmall();
      continue;
    }
    if (small.length > 0) yield takeSmall();
    const start = separator + name;
    separator = ",";
    yield { chars: start.length, text: () => start };
    yield* partsOf(value);
  }
  if (small.length > 0) yield takeSmall();
  yield { chars: 1, text: () => (separator === open ? open + close : close) };
}

function textOf(member: unknown): string {
  return member instanceof Member ? member.text : (JSON.stringify(member) ?? "null");
}

function* partsOfText(text: string): Generator<Part> {
  yield { chars: 1, text: () => '"' };
  for (let start = 0; start < text.length; ) {
    const part = text.slice(start, endOfSlice(text, start, TEXT_PART_CHARS));
    yield { chars: part.length, text: () => JSON.stringify(part).slice(1, -1) };
    start += part.length;
  }
  yield { chars: 1, text: () => '"' };
}

/** The end of a slice of a text that does not split a surrogate pair. */
export function endOfSlice(text: string, start: number, maxChars: number): number {
  const end = start + maxChars;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
