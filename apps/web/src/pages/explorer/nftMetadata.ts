/** Untrusted NFT metadata, truncated for display. */
export interface NftMetadata {
  name: string | undefined;
  description: string | undefined;
  attributes: { trait: string; value: string }[];
}

export function parseNftMetadata(metadata: string | null | undefined): NftMetadata {
  const parsed = parseJson(metadata);
  const list: unknown[] = Array.isArray(parsed.attributes) ? parsed.attributes : [];
  return {
    name: stringField(parsed.name, 120),
    description: stringField(parsed.description, 2_000),
    attributes: list.slice(0, 60).flatMap((each) => {
      const { trait_type: trait, value } = recordOf(each);
      const shown = stringField(value, 120);
      return shown === undefined ? [] : [{ trait: stringField(trait, 80) ?? "", value: shown }];
    }),
  };
}

export function nftName(nft: { name?: string | null; metadata?: string | null }): string {
  return parseNftMetadata(nft.metadata).name ?? nft.name?.slice(0, 120) ?? "";
}

/** Whether the metadata has an image. */
export function hasImage(metadata: string | null | undefined): boolean {
  const parsed = parseJson(metadata);
  return [parsed.image, parsed.image_url, parsed.image_data].some(
    (each) => typeof each === "string" && each !== "",
  );
}

function parseJson(text: string | null | undefined): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(text ?? "null"));
  } catch {
    return {};
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function stringField(value: unknown, maxLength: number): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.slice(0, maxLength) : undefined;
}
