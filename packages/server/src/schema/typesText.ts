/** What the types are made of: a class as schemas tell it. */
export interface DescribedClass {
  className: string;
  fields: Record<string, { type: string; targetClass?: string; required?: boolean }>;
}

/** Classes that the server brings and applications use. */
const SYSTEM: Readonly<Record<string, string>> = {
  _User: "User",
  _Role: "Role",
  _Session: "Session",
  _Installation: "Installation",
};
/** Every object has these. */
const COMMON = ["objectId", "createdAt", "updatedAt", "ACL"];
/** The client's own types have these. */
const BROUGHT: Readonly<Record<string, readonly string[]>> = {
  _User: ["username", "password", "email", "emailVerified", "authData", "sessionToken"],
  _Session: ["sessionToken", "user", "createdWith", "expiresAt", "installationId", "restricted"],
};
const VALUES: Readonly<Record<string, string>> = {
  String: "string",
  Number: "number",
  Boolean: "boolean",
  Date: "globalThis.Date",
  Object: "{ [key: string]: unknown }",
  Array: "unknown[]",
  File: "purse.File",
  GeoPoint: "purse.GeoPoint",
  Polygon: "purse.Polygon",
  Bytes: '{ __type: "Bytes"; base64: string }',
  ACL: "purse.ACL",
};
/** Names that the file uses itself, and words that no type can be named. */
const TAKEN =
  "purse globalThis any as async await bigint boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for function if implements import in infer instanceof interface is keyof let module namespace never new null number object of package private protected public readonly require return static string super switch symbol this throw true try type typeof undefined unique unknown var void while with yield".split(
    " ",
  );

/**
 * TypeScript with a type for each class: `Query<Post>` knows its fields. The same classes give the same text,
 * in whatever order they come. `from` is the package that the application imports the client from.
 */
export function typesText(classes: readonly DescribedClass[], from = "@purse/client"): string {
  const shown = classes
    .filter(({ className }) => Object.hasOwn(SYSTEM, className) || !className.startsWith("_"))
    .sort(byName);
  const names = typeNames(shown.map(({ className }) => className));
  const types = shown.map(({ className, fields }) => {
    const name = names.get(className) ?? className;
    const own = Object.entries(fields)
      .filter(([field]) => !COMMON.includes(field) && !BROUGHT[className]?.includes(field))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([field, of]) => `  ${field}${of.required ? "" : "?"}: ${valueType(of, names)};\n`);
    const base = BROUGHT[className] === undefined ? "ParseObject" : name;
    return `/** An object of the class ${className}. */\nexport type ${name} = purse.${base}<{\n${own.join("")}}>;\n`;
  });
  return [
    `/* Written by \`npm run purse -- types\` from the server's classes: change those, not this. */\nimport type * as purse from ${JSON.stringify(from)};\n`,
    ...types,
  ].join("\n");
}

/** A name for each class, as it is called where TypeScript lets it be. */
function typeNames(classNames: readonly string[]): Map<string, string> {
  const taken = new Set(TAKEN);
  const names = new Map<string, string>();
  // The server's own classes come first: User is always _User.
  const order = [...classNames].sort((a, b) => Number(b.startsWith("_")) - Number(a.startsWith("_")));
  for (const className of order) {
    let name = SYSTEM[className] ?? className;
    while (taken.has(name)) name += "_";
    taken.add(name);
    names.set(className, name);
  }
  return names;
}

function valueType(
  { type, targetClass = "" }: DescribedClass["fields"][string],
  names: ReadonlyMap<string, string>,
): string {
  const target = names.get(targetClass) ?? "purse.ParseObject";
  if (type === "Pointer") return target;
  if (type === "Relation") return `purse.Relation<${target}>`;
  return VALUES[type] ?? "unknown";
}

function byName(a: DescribedClass, b: DescribedClass): number {
  return a.className < b.className ? -1 : 1;
}
