import { expect, it } from "vitest";
import { operationsOf, templateOf } from "./graphqlSchema.ts";

const named = (name: string) => ({ kind: "OBJECT", name });
const required = (ofType: object) => ({ kind: "NON_NULL", name: null, ofType });
const RESPONSE = {
  data: {
    __schema: {
      queryType: {
        fields: [
          { name: "health", description: "", args: [], type: required({ kind: "SCALAR", name: "Boolean" }) },
          {
            name: "notes",
            description: "Finds notes",
            args: [{ name: "first", type: { kind: "SCALAR", name: "Int" } }],
            type: required(named("NoteConnection")),
          },
        ],
      },
      mutationType: {
        fields: [
          {
            name: "deleteNote",
            description: "",
            args: [{ name: "input", type: required(named("DeleteNoteInput")) }],
            type: named("DeleteNotePayload"),
          },
        ],
      },
    },
  },
};

it("operationsOf() reads queries and mutations with their types", () => {
  const operations = operationsOf(JSON.parse(JSON.stringify(RESPONSE)));
  expect(operations.map(({ kind, name, type }) => [kind, name, type])).toEqual([
    ["query", "health", "Boolean!"],
    ["query", "notes", "NoteConnection!"],
    ["mutation", "deleteNote", "DeleteNotePayload"],
  ]);
  expect(operationsOf({ errors: [] })).toEqual([]);
});

it("templateOf() has required arguments as variables, and a selection for objects", () => {
  const [health, notes, deleteNote] = operationsOf(JSON.parse(JSON.stringify(RESPONSE))).map(templateOf);
  expect(health).toEqual({ query: "query {\n  health\n}", variables: "" });
  expect(notes?.query).toContain("notes {\n    count");
  expect(deleteNote?.query).toContain("mutation ($input: DeleteNoteInput!) {\n  deleteNote(input: $input) {");
  expect(deleteNote?.variables).toBe('{\n  "input": null\n}');
});
