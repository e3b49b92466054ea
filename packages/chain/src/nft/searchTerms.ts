import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";

/** Parts of metadata that can be searched. */
export type MetadataPart = "name" | "description" | "attributes";

/** Prefix of each term in the index that identifies its part. */
const PART_PREFIXES: Readonly<Record<MetadataPart, string>> = {
  name: "n",
  description: "d",
  attributes: "a",
};
const PARTS: readonly MetadataPart[] = ["name", "description", "attributes"];

/** Max terms per part and their max length; the rest is not indexed. */
const MAX_TERMS = 500;
const MAX_TERM_LENGTH = 40;
const MAX_QUERY_TERMS = 20;
const MAX_DEPTH = 4;

/** Returns the distinct terms of metadata for the index, separated by spaces. */
export function metadataTerms(metadata: JsonObject): string {
  const { name, description } = metadata;
  const attributes = [metadata.attributes, metadata.traits, metadata.properties];
  const texts: Record<MetadataPart, string[]> = {
    name: collectText(name),
    description: collectText(description),
    attributes: attributes.flatMap((each) => collectText(each)),
  };
  return PARTS.flatMap((part) => {
    const terms = new Set<string>();
    for (const text of texts[part]) {
      for (const term of splitTerms(text)) {
        if (terms.size >= MAX_TERMS) break;
        terms.add(PART_PREFIXES[part] + term);
      }
    }
    return [...terms];
  }).join(" ");
}

/** For each word of a query, its terms in the selected parts. */
export function queryTerms(text: string, parts: readonly MetadataPart[]): string[][] {
  const terms = [...new Set(splitTerms(text))].slice(0, MAX_QUERY_TERMS);
  return terms.map((term) => parts.map((part) => PART_PREFIXES[part] + term));
}

export function searchedParts(filter: readonly (MetadataPart | "global")[]): readonly MetadataPart[] {
  const selected = PARTS.filter((part) => filter.includes(part));
  return selected.length === 0 || filter.includes("global") ? PARTS : selected;
}

/** Letters and digits of all scripts, in lower case and without accents. */
function splitTerms(text: string): string[] {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).map((term) => [...term].slice(0, MAX_TERM_LENGTH).join(""));
}

/** Text and numbers of a value, including keys of objects: `{ "Eyes": "blue" }` matches both. */
function collectText(value: JsonValue | undefined, depth = 0): string[] {
  if (typeof value === "string") return [value.slice(0, 20_000)];
  if (typeof value === "number") return [String(value)];
  if (depth >= MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.slice(0, MAX_TERMS).flatMap((each) => collectText(each, depth + 1));
  if (!isJsonObject(value)) return [];
  return Object.entries(value)
    .slice(0, MAX_TERMS)
    .flatMap(([key, each]) => [...(isTraitKey(key) ? [] : [key]), ...collectText(each, depth + 1)]);
}

/** Common attribute keys are not indexed. */
function isTraitKey(key: string): boolean {
  return ["trait_type", "value", "display_type", "max_value", "name", "type"].includes(key);
}
