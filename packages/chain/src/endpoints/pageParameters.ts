import { z } from "zod";
import { INTEGER_ERROR, list, textToNumber } from "./parameterValues.ts";

/* Schemas of the parameters that select a page of a list. */

/** Max page size; also the default of old clients. */
const MAX_LIMIT = 500;
const MAX_OFFSET = 100_000;

/**
 * Position in an ordered list: the sort key of the last row of a page, as numbers and hex, and the number of the next
 * page.
 */
export interface Cursor {
  parts: (number | string)[];
  /** Counted from 0. */
  page: number;
}

export const limit = z
  .preprocess(
    textToNumber,
    z
      .int(INTEGER_ERROR)
      .min(0, INTEGER_ERROR)
      .min(1, "must be at least 1")
      .transform((rows) => Math.min(rows, MAX_LIMIT)),
  )
  .meta({ maximum: MAX_LIMIT });

const OFFSET_ERROR = `must be at most ${MAX_OFFSET}: use cursor to continue`;
export const offset = z.preprocess(
  textToNumber,
  z.int(INTEGER_ERROR).min(0, INTEGER_ERROR).max(MAX_OFFSET, OFFSET_ERROR),
);

const ORDER_ERROR = "must be field names with .ASC or .DESC, separated by commas";
/** Fields to sort by. */
export const order = list(
  z
    .string(ORDER_ERROR)
    .regex(/^[a-zA-Z_]{1,64}(\.([aA][sS][cC]|[dD][eE][sS][cC]))?$/, ORDER_ERROR)
    .transform((item) => {
      const [field = "", direction] = item.toLowerCase().split(".");
      return { field, descending: direction === "desc" };
    }),
);

const CURSOR_ERROR = "is invalid";
export const cursor = z.string(CURSOR_ERROR).transform((encoded, context): Cursor => {
  const decoded = Buffer.from(encoded, "base64url").toString("latin1");
  if (!/^((\d{1,16}|0x[0-9a-f]{1,80})\.){1,8}\d{1,15}$/.test(decoded)) {
    context.addIssue(CURSOR_ERROR);
    return z.NEVER;
  }
  const parts = decoded.split(".").map((part) => (part.startsWith("0x") ? part : Number(part)));
  return { page: Number(parts.pop()), parts };
});

/** Encodes a cursor: the sort key of the last row of a page and the number of the next page. */
export function encodeCursor(parts: readonly (number | string)[], page: number): string {
  return Buffer.from([...parts, page].join(".")).toString("base64url");
}
