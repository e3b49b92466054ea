/* Values of the tables of pipelines. */
import type { JsonObject, JsonValue } from "@purse/protocol";

/** A number whose digits a double cannot hold, as it stands in the JSON of a result. */
export class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a pipeline returns: a value in wire format, undefined if it is missing, or the text of an error. */
export type Expected = JsonValue | undefined | Digits | RegExp;

/** An operator's argument in a document, and the result by MongoDB's definition. */
export type ExpressionCase = readonly [expression: JsonValue, expected: Expected];

export const date = (iso: string): JsonObject => ({ __type: "Date", iso: new Date(iso).toISOString() });

export const pointer = (className: string, objectId: string): JsonObject => ({
  __type: "Pointer",
  className,
  objectId,
});
