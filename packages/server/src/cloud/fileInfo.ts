import { ParseFile } from "@purse/client";
import type { JsonObject } from "@purse/protocol";
import type { FileInfo } from "./workerMessages.ts";

/** Creates the file that file triggers work with. */
export function toParseFile({ name, url, base64, contentType, metadata, tags }: FileInfo): ParseFile {
  if (base64 !== undefined) {
    return new ParseFile(name, { base64 }, contentType, toPlainValues(metadata), toPlainValues(tags));
  }
  const file = ParseFile.fromJSON({ __type: "File", name, ...(url !== undefined && { url }) });
  file.setMetadata(toPlainValues(metadata));
  file.setTags(toPlainValues(tags));
  return file;
}

/** Describes the file that a trigger returned; the content is included only if it was replaced. */
export async function fileInfoOf(file: ParseFile, original: ParseFile): Promise<JsonObject> {
  const info: JsonObject = { name: file.name(), metadata: file.metadata(), tags: file.tags() };
  const url = file.url();
  if (url !== undefined) info.url = url;
  else if (file !== original) info.base64 = await file.getData();
  return info;
}

function toPlainValues(values: JsonObject | undefined): Record<string, string | number | boolean> {
  const entries = Object.entries(values ?? {}).map(([key, value]): [string, string | number | boolean] => [
    key,
    typeof value === "number" || typeof value === "boolean" ? value : String(value),
  ]);
  return Object.fromEntries(entries);
}
