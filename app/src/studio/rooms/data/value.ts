import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";

/** The first of a long value: a cell shows no more. */
const MOST = 300;

/** A value as a cell says it, on one line; empty for one that is not there. */
export function shown(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value.slice(0, MOST);
  if (typeof value !== "object") return String(value);
  if (isJsonObject(value)) {
    const told = shownObject(value);
    if (told !== undefined) return told;
  }
  return JSON.stringify(value).slice(0, MOST);
}

function shownObject(value: JsonObject): string | undefined {
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
      return String(value.base64 ?? "").slice(0, MOST);
    case "Relation":
      return String(value.className ?? "");
    default:
      return undefined;
  }
}

/** Who may do what to a row, as a phrase: `anyone reads · ada writes`. */
export function aclInWords(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "anyone reads and writes";
  if (!isJsonObject(value)) return shown(value);
  const said = Object.entries(value).flatMap(([who, rights]) => {
    if (!isJsonObject(rights)) return [];
    const verbs = [rights.read === true && "reads", rights.write === true && "writes"].filter(Boolean);
    return verbs.length > 0 ? [`${who === "*" ? "anyone" : who} ${verbs.join(" and ")}`] : [];
  });
  return said.join(" · ") || "the master key alone";
}

/** By what people know a row: its first text. */
export function nameOf(row: JsonObject): string {
  const texts = Object.entries(row).filter(
    ([name, value]) => typeof value === "string" && !["objectId", "createdAt", "updatedAt"].includes(name),
  );
  const named = texts.find(([name]) => /name|title|subject|label/i.test(name)) ?? texts[0];
  return named ? shown(named[1]) : "";
}

/** All of a value for people who read it at leisure: JSON on its lines, the rest as cells say it. */
export function told(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  const isPlain = typeof value !== "object" || value === null || (isJsonObject(value) && "__type" in value);
  if (isPlain && !(isJsonObject(value) && value.__type === "Polygon")) return shown(value);
  return JSON.stringify(value, null, 2);
}
