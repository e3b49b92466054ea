import type { JsonValue } from "@purse/protocol";
import type { ApiReply } from "./apiRoute.ts";

/** A reply to a caller in the process that takes its value: its text is not made. */
export class ValueReply implements ApiReply {
  readonly status: number;
  readonly value: JsonValue;
  /** The length of the text that it would have, about. */
  readonly chars: number;

  constructor(value: JsonValue, chars: number, status = 200) {
    this.value = value;
    this.chars = chars;
    this.status = status;
  }

  get body(): string {
    return JSON.stringify(this.value);
  }
}
