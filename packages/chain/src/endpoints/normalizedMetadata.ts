import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "@purse/protocol";
import { quoteLongIntegers } from "../nft/tolerantJson.ts";

/** A trait of an NFT. */
interface NormalizedAttribute {
  trait_type: string | null;
  value: string | number | boolean | null;
  display_type: string | null;
  max_value: number | null;
}

/** Metadata with the fields that applications show; null for missing ones and those of other types. */
export interface NormalizedMetadata {
  name: string | null;
  description: string | null;
  image: string | null;
  external_url: string | null;
  animation_url: string | null;
  attributes: NormalizedAttribute[];
}

const MAX_ATTRIBUTES = 1_000;

/**
 * Normalizes the JSON text of metadata, which contracts write in several forms; null if there is none. Integers that a
 * number would round are texts.
 */
export function normalizeMetadata(text: string | null): NormalizedMetadata | null {
  const metadata = text === null ? undefined : parseJson(quoteLongIntegers(text));
  if (!isJsonObject(metadata)) return null;
  return {
    name: firstText(metadata, ["name", "title"]),
    description: firstText(metadata, ["description"]),
    image: firstText(metadata, ["image", "image_url", "imageUrl", "image_data"]),
    external_url: firstText(metadata, ["external_url", "external_link"]),
    animation_url: firstText(metadata, ["animation_url", "animation"]),
    attributes: attributesOf(metadata.attributes ?? metadata.traits ?? null),
  };
}

/** A list of traits, or an object with their values by name. */
function attributesOf(value: JsonValue): NormalizedAttribute[] {
  if (Array.isArray(value))
    return value.slice(0, MAX_ATTRIBUTES).flatMap((each) => (isJsonObject(each) ? [attributeOf(each)] : []));
  if (!isJsonObject(value)) return [];
  return Object.entries(value)
    .slice(0, MAX_ATTRIBUTES)
    .map(([name, each]) => ({ ...attributeOf({ value: each }), trait_type: name }));
}

function attributeOf(attribute: JsonObject): NormalizedAttribute {
  const { trait_type: type, value, display_type: display, max_value: max } = attribute;
  return {
    trait_type: typeof type === "string" ? type : null,
    value: isScalar(value) ? value : null,
    display_type: typeof display === "string" ? display : null,
    max_value:
      typeof max === "number" ? max : typeof max === "string" && /^-?\d{16,}$/.test(max) ? Number(max) : null,
  };
}

function isScalar(value: JsonValue | undefined): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function firstText(metadata: JsonObject, names: readonly string[]): string | null {
  for (const name of names) {
    const value = metadata[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}
