/** A class as described by `/schemas`. */
export interface DescribedClass {
  className: string;
  fields: Record<string, { type: string; targetClass?: string; required?: boolean }>;
}

/** Type names of built-in classes that applications use. */
const SYSTEM_TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ["_User", "User"],
  ["_Role", "Role"],
  ["_Session", "Session"],
  ["_Installation", "Installation"],
]);
/** Fields that every object has. */
const COMMON_FIELDS = ["objectId", "createdAt", "updatedAt", "ACL"];
/** Fields that the client's own types declare. */
const CLIENT_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["_User", ["username", "password", "email", "emailVerified", "authData", "sessionToken"]],
  ["_Session", ["sessionToken", "user", "createdWith", "expiresAt", "installationId", "restricted"]],
]);
const TYPESCRIPT_TYPES: ReadonlyMap<string, string> = new Map([
  ["String", "string"],
  ["Number", "number"],
  ["Boolean", "boolean"],
  ["Date", "globalThis.Date"],
  ["Object", "{ [key: string]: unknown }"],
  ["Array", "unknown[]"],
  ["File", "purse.File"],
  ["GeoPoint", "purse.GeoPoint"],
  ["Polygon", "purse.Polygon"],
  ["Bytes", '{ __type: "Bytes"; base64: string }'],
  ["ACL", "purse.ACL"],
]);
/** Names that the generated file uses itself, and reserved words. */
const RESERVED_NAMES =
  "purse globalThis any as async await bigint boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for function if implements import in infer instanceof interface is keyof let module namespace never new null number object of package private protected public readonly require return static string super switch symbol this throw true try type typeof undefined unique unknown var void while with yield".split(
    " ",
  );

/**
 * Generates TypeScript types for all classes, so that `Query<Post>` knows its fields. The output does not depend on the
 * order of the classes. `from` is the package that the application imports the client from.
 */
export function generateTypes(classes: readonly DescribedClass[], from = "@purse/client"): string {
  const exportedClasses = classes
    .filter(({ className }) => SYSTEM_TYPE_NAMES.has(className) || !className.startsWith("_"))
    .sort(byName);
  const names = typeNames(exportedClasses.map(({ className }) => className));
  const types = exportedClasses.map(({ className, fields }) => {
    const name = names.get(className) ?? className;
    const clientFields = CLIENT_FIELDS.get(className);
    const own = Object.entries(fields)
      .filter(([field]) => !COMMON_FIELDS.includes(field) && !clientFields?.includes(field))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([field, fieldType]) =>
          `  ${field}${fieldType.required ? "" : "?"}: ${valueType(fieldType, names)};\n`,
      );
    const base = clientFields ? name : "ParseObject";
    return `/** An object of the class ${className}. */\nexport type ${name} = purse.${base}<{\n${own.join("")}}>;\n`;
  });
  return [
    `/* Written by \`npm run purse -- types\` from the server's classes: change those, not this. */\nimport type * as purse from ${JSON.stringify(from)};\n`,
    ...types,
  ].join("\n");
}

/** Chooses a type name for each class: the class name unless it is reserved. */
function typeNames(classNames: readonly string[]): Map<string, string> {
  const usedNames = new Set(RESERVED_NAMES);
  const names = new Map<string, string>();
  // Built-in classes come first, so that User is always _User.
  const order = [...classNames].sort((a, b) => Number(b.startsWith("_")) - Number(a.startsWith("_")));
  for (const className of order) {
    let name = SYSTEM_TYPE_NAMES.get(className) ?? className;
    while (usedNames.has(name)) name += "_";
    usedNames.add(name);
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
  return TYPESCRIPT_TYPES.get(type) ?? "unknown";
}

function byName(a: DescribedClass, b: DescribedClass): number {
  return a.className < b.className ? -1 : 1;
}
