import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";

/** The parts of metadata in which words are looked for. */
export type Part = "name" | "description" | "attributes";

/** In the index each word says by its first letter of which part it is. */
const LETTERS: Readonly<Record<Part, string>> = { name: "n", description: "d", attributes: "a" };
const PARTS: readonly Part[] = ["name", "description", "attributes"];

/** Words of one part that are kept, and their length: what is beyond is not found. */
const MAX_WORDS = 500;
const MAX_LENGTH = 40;
const MAX_WANTED = 20;
const MAX_DEPTH = 4;

/** The words of metadata, for the index: with blanks between, each once. */
export function searchWords(metadata: JsonObject): string {
  const { name, description } = metadata;
  const attributes = [metadata.attributes, metadata.traits, metadata.properties];
  const texts: Record<Part, string[]> = {
    name: textsIn(name),
    description: textsIn(description),
    attributes: attributes.flatMap((each) => textsIn(each)),
  };
  return PARTS.flatMap((part) => {
    const words = new Set<string>();
    for (const text of texts[part]) {
      for (const word of wordsOf(text)) {
        if (words.size >= MAX_WORDS) break;
        words.add(LETTERS[part] + word);
      }
    }
    return [...words];
  }).join(" ");
}

/** For each word of a text that somebody looks for, what it is in the index in each of some parts. */
export function wantedWords(text: string, parts: readonly Part[]): string[][] {
  const words = [...new Set(wordsOf(text))].slice(0, MAX_WANTED);
  return words.map((word) => parts.map((part) => LETTERS[part] + word));
}

export function partsOf(filter: readonly (Part | "global")[]): readonly Part[] {
  const named = PARTS.filter((part) => filter.includes(part));
  return named.length === 0 || filter.includes("global") ? PARTS : named;
}

/** Letters and digits of any script, in lower case and without accents. */
function wordsOf(text: string): string[] {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => [...word].slice(0, MAX_LENGTH).join(""));
}

/** The texts and numbers in a value, keys of objects included: `{ "Eyes": "blue" }` is found by both. */
function textsIn(value: JsonValue | undefined, depth = 0): string[] {
  if (typeof value === "string") return [value.slice(0, 20_000)];
  if (typeof value === "number") return [String(value)];
  if (depth >= MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.slice(0, MAX_WORDS).flatMap((each) => textsIn(each, depth + 1));
  if (!isJsonObject(value)) return [];
  return Object.entries(value)
    .slice(0, MAX_WORDS)
    .flatMap(([key, each]) => [...(isTraitKey(key) ? [] : [key]), ...textsIn(each, depth + 1)]);
}

/** The usual keys of an attribute are no words of it. */
function isTraitKey(key: string): boolean {
  return ["trait_type", "value", "display_type", "max_value", "name", "type"].includes(key);
}
