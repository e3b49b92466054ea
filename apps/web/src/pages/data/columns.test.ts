import { ParseObject } from "@purse/client";
import type { DataField } from "@purse/ui";
import { expect, it } from "vitest";
import { columnFields } from "./columns.ts";

const FIELDS: DataField[] = [
  { name: "name", type: "String" },
  { name: "text", type: "String" },
  { name: "done", type: "Boolean" },
];
const LONG = "Please remember to order the beans from the roaster before Friday. ".repeat(5);

const note = (values: { text?: string; name?: string }) =>
  ParseObject.fromJSON({ className: "Note", objectId: "note123456", ...values }, true);
const columnsOf = (...records: ParseObject[]) => columnFields(FIELDS, records).map(({ name }) => name);

it("columnFields() leaves out the field that is the title of the records, however long it is", () => {
  expect(columnsOf(note({ text: "Short" }), note({ text: LONG }))).toEqual(["name", "done"]);
});

it("columnFields() leaves out the title although some records have none", () => {
  expect(columnsOf(note({ text: "Short" }), note({}), note({ text: "" }))).toEqual(["name", "done"]);
});

it("columnFields() shows a field that is the title of some records only", () => {
  expect(columnsOf(note({ name: "Ada" }), note({ text: "Short", name: "Grace" }))).toEqual(["name", "done"]);
  expect(columnsOf(note({}), note({}))).toEqual(["name", "text", "done"]);
});
