import { type JsonObject, ownValue } from "@purse/protocol";
import { type DataField, useTranslation } from "@purse/ui";
import { useState } from "react";
import { isSame, parseText, toText, typeOf } from "./recordValues.ts";

/** Types without an input: a relation is not a value of its record, and the ACL has an editor of its own. */
const NO_INPUT = new Set<DataField["type"]>(["Relation", "ACL"]);

interface State {
  /** The record when editing began, or the version that was adopted since. */
  base: JsonObject;
  /** Fields that the class does not have yet. */
  added: readonly DataField[];
  /** Input by field, as far as it was edited. */
  texts: Readonly<Record<string, string>>;
  problems: Readonly<Record<string, string>>;
}

/** The inputs for the fields of a record; `row` is the record when editing begins. */
export function useFieldInputs(classFields: readonly DataField[], row: JsonObject) {
  const { language } = useTranslation();
  const [state, setState] = useState<State>({ base: row, added: [], texts: {}, problems: {} });
  const { base, added, texts, problems } = state;
  const isKnown = ({ name }: DataField) => classFields.some((field) => field.name === name);
  const fields = [...classFields, ...added.filter((field) => !isKnown(field))]
    // A record may have a value of another type than its class has now.
    .map((field) => ({ ...field, ...typeOf(ownValue(base, field.name)) }))
    .filter(({ type }) => !NO_INPUT.has(type));
  const savedText = (field: DataField) => toText(ownValue(base, field.name), field, language);
  const textOf = (field: DataField) => ownValue(texts, field.name) ?? savedText(field);
  const change = (to: Partial<State>) => setState((before) => ({ ...before, ...to }));
  return {
    fields,
    base,
    problems,
    textOf,
    /** Whether an input has another text than the record. */
    isEdited: added.length > 0 || fields.some((field) => textOf(field) !== savedText(field)),
    isNew: (field: DataField) => added.some(({ name }) => name === field.name) && !isKnown(field),
    set: (field: DataField, text: string) => change({ texts: { ...texts, [field.name]: text } }),
    add: (field: DataField) =>
      change({
        added: [...added, field],
        texts: { ...texts, ...(field.type === "Boolean" && { [field.name]: "false" }) },
      }),
    remove(field: DataField): void {
      const { [field.name]: _, ...others } = texts;
      change({ added: added.filter(({ name }) => name !== field.name), texts: others });
    },
    /** The changed values, null where one is removed; undefined if one is invalid, which then shows its problem. */
    parse(): JsonObject | undefined {
      const invalid: Record<string, string> = {};
      const changes: JsonObject = {};
      for (const field of fields) {
        if (textOf(field) === savedText(field)) continue;
        const parsed = parseText(textOf(field), field, language);
        if (parsed.problem !== undefined) invalid[field.name] = parsed.problem;
        else changes[field.name] = parsed.value;
      }
      change({ problems: invalid });
      return Object.keys(invalid).length === 0 ? changes : undefined;
    },
    /** Adopts another version; edits of fields that are the same in both are kept. */
    rebase(to: JsonObject): void {
      const kept = Object.entries(texts).filter(([name]) => isSame(ownValue(to, name), ownValue(base, name)));
      change({ base: to, texts: Object.fromEntries(kept), problems: {} });
    },
  };
}

export type FieldInputs = ReturnType<typeof useFieldInputs>;
