/*
 * Random classes, objects, roles and queries for the test that the databases and the permission module agree on who may
 * read and write what.
 */
import type { JsonObject, JsonValue } from "@purse/protocol";
import * as fc from "fast-check";
import type { ClassSchema } from "../src/database/classSchema.ts";

export const USERS = ["ann", "bob"] as const;
export const ROLES = ["editors", "staff", "admins"] as const;

/** The fields of both classes. */
export const FIELDS: ClassSchema["fields"] = {
  owner: { type: "Pointer", targetClass: "_User" },
  editors: { type: "Array" },
  title: { type: "String" },
  n: { type: "Number" },
  flag: { type: "Boolean" },
  due: { type: "Date" },
  tags: { type: "Array" },
  data: { type: "Object" },
  folder: { type: "Pointer", targetClass: "Folder" },
  touched: { type: "Number" },
};

/** One random situation. */
export interface Scenario {
  /** Class-level permissions as clients send them; undefined for a class without any. */
  notePermissions: JsonObject | undefined;
  folderPermissions: JsonObject | undefined;
  /** Protected fields of `Note` in the configuration of the server. */
  configured: Record<string, string[]> | undefined;
  notes: JsonObject[];
  folders: JsonObject[];
  roles: RoleGraph;
  queries: { where: JsonObject; order?: string }[];
}

/** Role hierarchy by index into ROLES; members of `child` are members of `parent`. Cycles are possible. */
export interface RoleGraph {
  edges: { parent: number; child: number }[];
  /** The roles of each user of USERS. */
  members: number[][];
}

const SUBJECTS = ["*", ...USERS, ...ROLES.map((role) => `role:${role}`)];
const POINTER_FIELDS = ["owner", "editors"];
const PROTECTED_FIELDS = ["title", "n", "tags", "folder"];

const userId = fc.constantFrom<string>(...USERS, "cleo");
const pointer = (className: string, objectId: string): JsonObject => ({
  __type: "Pointer",
  className,
  objectId,
});
const userPointer = userId.map((id) => pointer("_User", id));
const folderPointer = fc.constantFrom("f0", "f1", "f2", "gone").map((id) => pointer("Folder", id));

const acl = fc
  .uniqueArray(
    fc.record({ subject: fc.constantFrom(...SUBJECTS), read: fc.boolean(), write: fc.boolean() }),
    { selector: ({ subject }) => subject, maxLength: 4 },
  )
  .map(
    (entries): JsonObject =>
      Object.fromEntries(
        entries.map(({ subject, read, write }): [string, JsonValue] => [
          subject,
          { ...(read && { read }), ...(write && { write }) },
        ]),
      ),
  );

const classPermission = fc
  .record({
    subjects: fc.oneof(
      { weight: 2, arbitrary: fc.constant<string[]>(["*"]) },
      { weight: 3, arbitrary: fc.subarray(SUBJECTS.slice(1), { maxLength: 2 }) },
    ),
    requiresAuthentication: fc.boolean(),
    pointerFields: fc.option(fc.subarray(POINTER_FIELDS), { nil: undefined }),
  })
  .map(
    ({ subjects, requiresAuthentication, pointerFields }): JsonObject => ({
      ...Object.fromEntries(subjects.map((subject) => [subject, true])),
      ...(requiresAuthentication && { requiresAuthentication }),
      ...(pointerFields && { pointerFields }),
    }),
  );

const protectedFields = fc.dictionary(
  fc.constantFrom(...SUBJECTS, "authenticated", ...POINTER_FIELDS.map((field) => `userField:${field}`)),
  fc.subarray(PROTECTED_FIELDS),
  { maxKeys: 4, noNullPrototype: true },
);

const permissions = fc.option(
  fc.record(
    {
      find: classPermission,
      get: classPermission,
      count: classPermission,
      update: classPermission,
      delete: classPermission,
      addField: classPermission,
      readUserFields: fc.subarray(POINTER_FIELDS),
      writeUserFields: fc.subarray(POINTER_FIELDS),
      protectedFields,
    },
    { requiredKeys: ["find", "get", "count", "update"], noNullPrototype: true },
  ),
  { nil: undefined, freq: 5 },
);

const text = fc.constantFrom("a", "ab", "b", "B", "");
const number = fc.constantFrom(-1, 0, 1, 1.5, 2);
const date = fc
  .constantFrom("2026-01-01T00:00:00.000Z", "2026-02-01T12:30:00.000Z")
  .map((iso): JsonObject => ({ __type: "Date", iso }));
const scalar: fc.Arbitrary<JsonValue> = fc.oneof(text, number, fc.boolean(), fc.constant(null));
/** Also objects that look like a pointer or a date without being one. */
const lookalike: fc.Arbitrary<JsonValue> = fc.oneof(
  userId.map((objectId): JsonObject => ({ className: "_User", objectId })),
  fc.constant<JsonObject>({ iso: "2026-01-01T00:00:00.000Z" }),
  fc.constant<JsonObject>({ __type: "Pointer", className: "_Role", objectId: "ann" }),
);
const item: fc.Arbitrary<JsonValue> = fc.oneof(
  scalar,
  userPointer,
  date,
  lookalike,
  fc.constant<JsonValue>({ k: 1 }),
  fc.constant<JsonValue>(["a"]),
);
const list = fc.array(item, { maxLength: 3 });
/** Arrays of objects, which paths run through, beside items that have no keys. */
const inner = fc.record({ j: fc.oneof(scalar, list) }, { requiredKeys: [], noNullPrototype: true });
const entry = fc.record(
  { k: fc.oneof(item, list, inner, fc.array(fc.oneof(inner, item), { maxLength: 3 })) },
  { requiredKeys: [], noNullPrototype: true },
);
const entries: fc.Arbitrary<JsonValue[]> = fc.array(
  fc.oneof({ weight: 3, arbitrary: entry }, { weight: 1, arbitrary: item }),
  { maxLength: 3 },
);

const noteValues = fc.record(
  {
    ACL: acl,
    owner: fc.oneof(userPointer, fc.constant(null)),
    editors: fc.array(fc.oneof(userPointer, lookalike, userId), { maxLength: 3 }),
    title: text,
    n: number,
    flag: fc.boolean(),
    due: date,
    tags: fc.oneof(list, entries),
    data: fc.record(
      { a: scalar, b: fc.oneof(list, item, entries, entry) },
      { requiredKeys: [], noNullPrototype: true },
    ),
    folder: folderPointer,
  },
  { requiredKeys: [], noNullPrototype: true },
);

const folderValues = fc.record(
  { ACL: acl, owner: userPointer, title: text, n: number, tags: list },
  { requiredKeys: [], noNullPrototype: true },
);

const AT = "2026-01-01T00:00:00.000Z";
const stored = (prefix: string) => (values: JsonObject, index: number) => ({
  objectId: `${prefix}${index}`,
  createdAt: AT,
  updatedAt: AT,
  ...values,
});

/** Values to compare a field with: of its own type, and some that are not. */
const OPERANDS: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {
  owner: userPointer,
  editors: userPointer,
  title: text,
  n: number,
  flag: fc.boolean(),
  due: date,
  tags: fc.oneof(scalar, userPointer, date, lookalike),
  "data.a": scalar,
  "data.b": fc.oneof(scalar, userPointer, date, lookalike),
  ...Object.fromEntries(
    ["tags.k", "tags.0", "tags.0.k", "tags.k.j", "data.b.k", "data.b.k.j", "data.b.1.k.j"].map((path) => [
      path,
      fc.oneof(scalar, userPointer, date, lookalike),
    ]),
  ),
  folder: folderPointer,
  objectId: fc.constantFrom("n0", "n1", "f0"),
  createdAt: date,
};

function constraintOf(name: string): fc.Arbitrary<JsonValue> {
  const operand = fc.oneof(
    { weight: 4, arbitrary: OPERANDS[name] ?? scalar },
    { weight: 1, arbitrary: scalar },
  );
  const operands = fc.array(operand, { maxLength: 3 });
  return fc.oneof(
    operand,
    ...["$ne", "$lt", "$lte", "$gt", "$gte"].map((key) => operand.map((value) => ({ [key]: value }))),
    ...["$in", "$nin", "$all", "$containedBy"].map((key) => operands.map((values) => ({ [key]: values }))),
    fc.boolean().map((value) => ({ $exists: value })),
    fc.constantFrom("^\\Qa\\E", "b", "^$").map((source) => ({ $regex: source })),
  );
}

const condition = fc
  .constantFrom(...Object.keys(OPERANDS))
  .chain((name) => constraintOf(name).map((constraint): [string, JsonValue] => [name, constraint]));

const simpleWhere = fc
  .array(condition, { maxLength: 2 })
  .map((entries): JsonObject => Object.fromEntries(entries));

const folderQuery = simpleWhere.map((where): JsonObject => ({ className: "Folder", where }));
const subQuery: fc.Arbitrary<JsonObject> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("folder", "tags", "tags.k"),
      fc.constantFrom("$inQuery", "$notInQuery"),
      folderQuery,
    )
    .map(([field, operator, query]) => ({ [field]: { [operator]: query } })),
  fc
    .tuple(
      // SQLite does not distinguish true from 1 in values without a declared type, so these are compared with texts
      // only.
      fc.constantFrom(
        ...["title", "n"].flatMap((key) => [
          ["title", key],
          ["n", key],
        ]),
        ["tags.k", "title"],
        ["data.b.k", "title"],
      ),
      fc.constantFrom("$select", "$dontSelect"),
      folderQuery,
    )
    .map(([[field = "", key = ""], operator, query]) => ({ [field]: { [operator]: { key, query } } })),
);

const branch = fc.oneof({ weight: 4, arbitrary: simpleWhere }, { weight: 1, arbitrary: subQuery });
/** Conditions on notes, with sub-queries on folders. */
export const wheres: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<JsonObject>({}) },
  { weight: 5, arbitrary: branch },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("$or", "$and", "$nor"), fc.array(branch, { minLength: 1, maxLength: 3 }))
      .map(([operator, branches]) => ({ [operator]: branches })),
  },
);

export const notes = fc
  .array(noteValues, { minLength: 1, maxLength: 8 })
  .map((values) => values.map(stored("n")));
export const folders = fc.array(folderValues, { maxLength: 3 }).map((values) => values.map(stored("f")));

export const scenarios: fc.Arbitrary<Scenario> = fc.record(
  {
    notePermissions: permissions,
    folderPermissions: permissions,
    configured: fc.option(protectedFields, { nil: undefined }),
    notes,
    folders,
    roles: fc.record(
      {
        edges: fc.array(fc.record({ parent: fc.nat(ROLES.length - 1), child: fc.nat(ROLES.length - 1) }), {
          maxLength: 3,
        }),
        members: fc.tuple(...USERS.map(() => fc.subarray([...ROLES.keys()], { maxLength: 1 }))),
      },
      { noNullPrototype: true },
    ),
    queries: fc.array(
      fc.record(
        { where: wheres, order: fc.constantFrom("title", "-n", "createdAt") },
        { requiredKeys: ["where"], noNullPrototype: true },
      ),
      { minLength: 1, maxLength: 4 },
    ),
  },
  { noNullPrototype: true },
);
