import type { StudioClass } from "@purse/server/studio-api";
import { COMMON_FIELDS } from "./classDraft.ts";

export interface Snippets {
  query: string;
  create: string;
  rest: string;
}

/** Code examples for a class: query, create, and REST without the SDK. */
export function buildSnippets(row: StudioClass, serverUrl: string): Snippets {
  const { className } = row;
  const name = JSON.stringify(className);
  const fields = Object.entries(row.fields).filter(([field]) => !COMMON_FIELDS.includes(field));
  const values = fields.flatMap(([field, { type, targetClass }]) => {
    const value = sampleValue(type, targetClass);
    return value === undefined ? [] : [[field, value] as const];
  });
  const [sorted] = fields.filter(([, { type }]) => type === "Number" || type === "Date");
  const equal = values.find(([, value]) => /^("text"|1|true)$/.test(value));
  const conditions = equal ? `\n  .equalTo(${JSON.stringify(equal[0])}, ${equal[1]})` : "";
  const imports = [
    ...new Set(["Object as PurseObject", ...values.flatMap(([, value]) => importsFor(value))]),
  ];
  return {
    query: `import { Query } from "@purse/client";

const found = await new Query(${name})${conditions}
  .descending(${JSON.stringify(sorted?.[0] ?? "createdAt")})
  .limit(100)
  .find();`,
    create: `import { ${imports.join(", ")} } from "@purse/client";

const object = new PurseObject(${name});
await object.save({${values.map(([field, value]) => `\n  ${field}: ${value},`).join("")}${values.length > 0 ? "\n" : ""}});`,
    rest: `curl -G ${serverUrl}/classes/${encodeURIComponent(className)} \\
  -H "X-Parse-Application-Id: APP_ID" \\
  -H "X-Parse-Session-Token: SESSION_TOKEN" \\
  --data-urlencode 'order=-${sorted?.[0] ?? "createdAt"}' \\
  --data-urlencode 'limit=100'`,
  };
}

/** Sample values as code. */
const SAMPLES: Readonly<Record<string, string>> = {
  String: '"text"',
  Number: "1",
  Boolean: "true",
  Date: "new Date()",
  Array: "[]",
  Object: "{}",
  GeoPoint: "new GeoPoint(46.95, 7.45)",
};

/** A sample value as code; undefined for types without one. */
function sampleValue(type: string, targetClass: string | undefined): string | undefined {
  if (type !== "Pointer") return SAMPLES[type];
  return `PurseObject.fromJSON({ className: ${JSON.stringify(targetClass ?? "")}, objectId: "…" })`;
}

function importsFor(value: string): string[] {
  return value.startsWith("new GeoPoint") ? ["GeoPoint"] : [];
}
