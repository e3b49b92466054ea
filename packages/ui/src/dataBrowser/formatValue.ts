import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";

/** Longer values are truncated in cells. */
const MAX_LENGTH = 300;

/** A value as one line of text; empty if missing. */
export function displayText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value.slice(0, MAX_LENGTH);
  if (typeof value !== "object") return String(value);
  if (isJsonObject(value)) {
    const fullText = displayObject(value);
    if (fullText !== undefined) return fullText;
  }
  return JSON.stringify(value).slice(0, MAX_LENGTH);
}

function displayObject(value: JsonObject): string | undefined {
  switch (value.__type) {
    case "Date":
      return String(value.iso ?? "");
    case "Pointer":
    case "Object":
      return String(value.objectId ?? "");
    case "File":
      return String(value.name ?? "");
    case "GeoPoint":
      return `${value.latitude}, ${value.longitude}`;
    case "Bytes":
      return String(value.base64 ?? "").slice(0, MAX_LENGTH);
    case "Relation":
      return String(value.className ?? "");
    default:
      return undefined;
  }
}

/** Summarizes an ACL, for example `Public: read · ada: write`. */
export function describeAcl(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "Public read and write";
  if (!isJsonObject(value)) return displayText(value);
  const entries = Object.entries(value).flatMap(([subject, rights]) => {
    if (!isJsonObject(rights)) return [];
    const verbs = [rights.read === true && "read", rights.write === true && "write"].filter(Boolean);
    return verbs.length > 0 ? [`${subject === "*" ? "Public" : subject}: ${verbs.join(", ")}`] : [];
  });
  return entries.join(" · ") || "Master key only";
}

/** A label for a row: its name-like or first String field. */
export function rowLabel(row: JsonObject): string {
  const texts = Object.entries(row).filter(
    ([name, value]) => typeof value === "string" && !["objectId", "createdAt", "updatedAt"].includes(name),
  );
  const named = texts.find(([name]) => /name|title|subject|label/i.test(name)) ?? texts[0];
  return named ? displayText(named[1]) : "";
}

/** The full text of a value: indented JSON, or the cell text. */
export function fullText(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  const isPlain = typeof value !== "object" || value === null || (isJsonObject(value) && "__type" in value);
  if (isPlain && !(isJsonObject(value) && value.__type === "Polygon")) return displayText(value);
  return JSON.stringify(value, null, 2);
}
