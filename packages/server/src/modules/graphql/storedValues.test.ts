import type { JsonObject, JsonValue } from "@purse/protocol";
import { execute, parse, subscribe } from "graphql";
import { describe, expect, it } from "vitest";
import { ANONYMOUS } from "../../core/authContext.ts";
import { buildSchema } from "./buildSchema.ts";
import type { GraphqlContext, LiveEvent } from "./context.ts";

const COMMON = {
  objectId: { type: "String" },
  createdAt: { type: "Date" },
  updatedAt: { type: "Date" },
  ACL: { type: "ACL" },
} as const;

const schema = buildSchema(
  [
    {
      className: "Thing",
      fields: {
        ...COMMON,
        arr: { type: "Array" },
        file: { type: "File" },
        map: { type: "Object" },
        needed: { type: "String", required: true },
        neededList: { type: "Array", required: true },
        next: { type: "Pointer", targetClass: "Thing" },
        place: { type: "GeoPoint" },
        area: { type: "Polygon" },
        bytes: { type: "Bytes" },
        when: { type: "Date" },
        gone: { type: "Relation", targetClass: "Removed" },
        lost: { type: "Pointer", targetClass: "Removed" },
      },
      config: undefined,
    },
  ],
  [],
);

const TIMES = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-02T00:00:00.000Z" };
const DELETED = { __type: "Pointer", className: "Thing", objectId: "deleted" };

/** A context whose server has one object. */
function contextOf(stored: JsonObject): GraphqlContext {
  const unused = () => Promise.reject(new Error("not called"));
  return {
    requestContext: { auth: ANONYMOUS, installationId: undefined, context: {}, ip: "", requestId: "" },
    operations: {
      execute: async () => ({ results: [{ objectId: "a", ...TIMES, ...stored }], count: 1 }),
      authenticateSession: unused,
      setPassword: unused,
      saveFile: unused,
      maxLimit: undefined,
    },
  };
}

async function nodeOf(stored: JsonObject, selection: string) {
  const { data, errors } = await execute({
    schema,
    document: parse(`{ things { edges { node { ${selection} } } } }`),
    contextValue: contextOf(stored),
  });
  return { node: JSON.parse(JSON.stringify(data)).things?.edges[0]?.node, errors };
}

const ARRAY = "arr { ... on Element { value } ... on Thing { objectId createdAt } }";
const RIGHTS = "ACL { users { userId read } roles { roleName write } public { read write } }";
const PUBLIC_RIGHTS = { users: null, roles: null, public: { read: true, write: true } };

const CASES: [title: string, stored: JsonObject, selection: string, expected: JsonValue][] = [
  ["a null in a list", { arr: [1, null] }, ARRAY, { arr: [{ value: 1 }, null] }],
  ["a list of nulls", { arr: [null, null] }, ARRAY, { arr: [null, null] }],
  ["a list that is null", { arr: null }, ARRAY, { arr: null }],
  ["a list in a list", { arr: [[null]] }, ARRAY, { arr: [{ value: [null] }] }],
  [
    "a list of pointers with a null and a deleted object",
    { arr: [null, DELETED, { ...DELETED, __type: "Object", objectId: "b", ...TIMES }] },
    ARRAY,
    { arr: [null, { value: DELETED }, { objectId: "b", createdAt: TIMES.createdAt }] },
  ],
  [
    "a value in a list in the form of an object, without its times",
    { arr: [{ ...DELETED, __type: "Object" }] },
    ARRAY,
    { arr: [{ value: { ...DELETED, __type: "Object" } }] },
  ],
  ["the id of a deleted object", { next: DELETED }, "next { objectId }", { next: { objectId: "deleted" } }],
  ["the times of a deleted object", { next: DELETED }, "next { objectId createdAt }", { next: null }],
  ["the ACL of a deleted object", { next: DELETED }, `next { ${RIGHTS} }`, { next: null }],
  [
    "a field of a deleted object that has to be there",
    { next: DELETED },
    "next { needed arr { __typename } file { name } }",
    { next: { needed: null, arr: null, file: null } },
  ],
  ["a pointer that is null", { next: null }, "next { createdAt }", { next: null }],
  ["a pointer to a class that was removed", { lost: DELETED }, "lost", { lost: DELETED }],
  ["a relation to a class that was removed", {}, "gone", { gone: null }],
  [
    "a missing field that is required",
    {},
    "needed neededList { __typename }",
    { needed: null, neededList: null },
  ],
  ["a file that is null", { file: null }, "file { name url }", { file: null }],
  ["a file without a URL", { file: { __type: "File", name: "a" } }, "file { name url }", { file: null }],
  ["a text in the place of a file", { file: "a.txt" }, "file { name url }", { file: null }],
  ["a point that is null", { place: null }, "place { latitude longitude }", { place: null }],
  [
    "a point without a longitude",
    { place: { __type: "GeoPoint", latitude: 1 } },
    "place { latitude longitude }",
    { place: null },
  ],
  ["a polygon that is null", { area: null }, "area { latitude longitude }", { area: null }],
  [
    "a polygon with points that are null or incomplete",
    { area: { __type: "Polygon", coordinates: [[1, 2], null, [3]] } },
    "area { latitude longitude }",
    { area: null },
  ],
  [
    "a date, bytes and an object that are null",
    { when: null, bytes: null, map: null },
    "when bytes map",
    {
      when: null,
      bytes: null,
      map: null,
    },
  ],
  ["a date that is none", { when: { __type: "Date", iso: "soon" } }, "when", { when: null }],
  [
    "a value in a list in the form of an object, with a time that is none",
    { arr: [{ ...DELETED, __type: "Object", createdAt: "soon", updatedAt: "soon" }] },
    "arr { __typename }",
    { arr: [{ __typename: "Element" }] },
  ],
  ["an ACL that is null", { ACL: null }, RIGHTS, { ACL: PUBLIC_RIGHTS }],
  [
    "an ACL with rights that are null",
    { ACL: { "*": null, u: null, "role:r": {} } },
    "ACL { users { read } roles { roleName write } public { read write } }",
    {
      ACL: {
        users: [{ read: false }],
        roles: [{ roleName: "r", write: false }],
        public: { read: false, write: false },
      },
    },
  ],
];

/** The event of an object of which only the id is told. */
async function* leaveEvents(): AsyncGenerator<LiveEvent> {
  yield { event: "leave", object: { className: "Thing", objectId: "a" } };
}

describe("what an object lacks is null without an error", () => {
  it.each(CASES)("GraphQL reads %s", async (_title, stored, selection, expected) => {
    expect(await nodeOf(stored, selection)).toEqual({ node: expected, errors: undefined });
  });

  it.each([
    ["objectId", { objectId: "a" }],
    ["objectId needed", { objectId: "a", needed: null }],
    ["objectId updatedAt", null],
    [RIGHTS, null],
  ])("an event of an object that may not be read anymore has its id alone: %s", async (selection, node) => {
    const events = await subscribe({
      schema,
      document: parse(`subscription { thingChanged { event node { ${selection} } original { objectId } } }`),
      contextValue: { ...contextOf({}), subscribe: async () => leaveEvents() },
    });
    if (!(Symbol.asyncIterator in events)) throw new Error("It is no subscription");
    const { value } = await events.next();
    expect(JSON.parse(JSON.stringify(value))).toEqual({
      data: { thingChanged: { event: "LEAVE", node, original: null } },
    });
  });
});
