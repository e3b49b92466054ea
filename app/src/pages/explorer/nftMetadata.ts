/** What metadata says of an NFT, cut to what can be shown; all of it is anybody's text. */
export interface NftWords {
  name: string | undefined;
  description: string | undefined;
  attributes: { trait: string; value: string }[];
}

export function wordsOf(metadata: string | null | undefined): NftWords {
  const said = parse(metadata);
  const list: unknown[] = Array.isArray(said.attributes) ? said.attributes : [];
  return {
    name: textOf(said.name, 120),
    description: textOf(said.description, 2_000),
    attributes: list.slice(0, 60).flatMap((each) => {
      const { trait_type: trait, value } = recordOf(each);
      const shown = textOf(value, 120);
      return shown === undefined ? [] : [{ trait: textOf(trait, 80) ?? "", value: shown }];
    }),
  };
}

export function shownName(nft: { name?: string | null; metadata?: string | null }): string {
  return wordsOf(nft.metadata).name ?? nft.name?.slice(0, 120) ?? "";
}

/** Whether the metadata names a picture at all. */
export function namesPicture(metadata: string | null | undefined): boolean {
  const said = parse(metadata);
  return [said.image, said.image_url, said.image_data].some(
    (each) => typeof each === "string" && each !== "",
  );
}

function parse(text: string | null | undefined): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(text ?? "null"));
  } catch {
    return {};
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function textOf(value: unknown, most: number): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.slice(0, most) : undefined;
}
