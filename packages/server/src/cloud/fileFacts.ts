import { ParseFile } from "@purse/client";
import type { JsonObject } from "@purse/protocol";
import type { FileFacts } from "./messages.ts";

/** A file as file triggers work with it. */
export function fileOf({ name, url, base64, contentType, metadata, tags }: FileFacts): ParseFile {
  if (base64 !== undefined) {
    return new ParseFile(name, { base64 }, contentType, plainValues(metadata), plainValues(tags));
  }
  const file = ParseFile.fromJSON({ __type: "File", name, ...(url !== undefined && { url }) });
  file.setMetadata(plainValues(metadata));
  file.setTags(plainValues(tags));
  return file;
}

/** What a trigger has made of a file; the content is told only where it is another one. */
export async function factsOf(file: ParseFile, given: ParseFile): Promise<JsonObject> {
  const facts: JsonObject = { name: file.name(), metadata: file.metadata(), tags: file.tags() };
  const url = file.url();
  if (url !== undefined) facts.url = url;
  else if (file !== given) facts.base64 = await file.getData();
  return facts;
}

function plainValues(values: JsonObject | undefined): Record<string, string | number | boolean> {
  const entries = Object.entries(values ?? {}).map(([key, value]): [string, string | number | boolean] => [
    key,
    typeof value === "number" || typeof value === "boolean" ? value : String(value),
  ]);
  return Object.fromEntries(entries);
}
