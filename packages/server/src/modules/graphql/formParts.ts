import { isJsonObject, type JsonLimits, type JsonObject, ProtocolError, parseJson } from "@purse/protocol";
import { badForm, type FormPart, MAX_FORM_PARTS, parseMultipart } from "../../core/http/multipart.ts";
import { UploadedFile } from "./context.ts";

/** Length of a path to which the map of a multipart request assigns a file. */
const MAX_FILE_PATH_LENGTH = 500;
/**
 * Parses a multipart request with an operation, a map, and the files that the map assigns to variables
 * (https://github.com/jaydenseric/graphql-multipart-request-spec). Returns the fields of the operation. Files are parts of
 * the body and not copied. Throws 107 if it is not such a form, or too large.
 */
export async function parseForm(body: Buffer, contentType: string, limits: JsonLimits): Promise<JsonObject> {
  const parts = new Map<string, FormPart>();
  for (const part of await parseMultipart(body, contentType))
    if (!parts.has(part.name)) parts.set(part.name, part);
  const operations = jsonOf(parts.get("operations"), "operations", limits);
  const map = parts.has("map") ? jsonOf(parts.get("map"), "map", limits) : {};
  const lists = Object.entries(map);
  if (lists.length > MAX_FORM_PARTS) throw badForm("The map of a form has too many files.");
  for (const [name, paths] of lists) {
    if (!Array.isArray(paths)) throw badForm("The map of a form has a list of paths for each of its files.");
    const file = parts.get(name);
    if (!file) throw badForm("The map of a form names a file that it does not have.");
    const uploaded = new UploadedFile(file.filename ?? name, file.contentType, file.content);
    for (const path of paths) assign(operations, path, uploaded);
  }
  return operations;
}

function jsonOf(part: FormPart | undefined, name: string, limits: JsonLimits): JsonObject {
  let value: unknown;
  try {
    value = parseJson(part?.content.toString("utf8") ?? "", limits);
  } catch (error) {
    if (error instanceof ProtocolError) throw badForm(error.message);
  }
  if (!isJsonObject(value)) throw badForm(`The field ${name} of the form must be a JSON object.`);
  return value;
}

/** Puts a file in the place of a null. */
function assign(operations: JsonObject, path: unknown, file: UploadedFile): void {
  if (typeof path !== "string" || path.length > MAX_FILE_PATH_LENGTH)
    throw badForm("The paths in the map of a form are short texts.");
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let target: unknown = operations;
  for (const key of keys)
    target = isContainer(target) && Object.hasOwn(target, key) ? Reflect.get(target, key) : undefined;
  if (
    !isContainer(target) ||
    !Object.hasOwn(target, last) ||
    Reflect.get(target, last) !== null ||
    last === "__proto__"
  )
    throw badForm("A path in the map of a form leads to no variable that is null.");
  Reflect.set(target, last, file);
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
