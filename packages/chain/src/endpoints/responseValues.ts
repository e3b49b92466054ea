import type { JsonValue } from "@purse/protocol";
import { z } from "zod";

/* Schemas of values in responses, with examples for the OpenAPI document. */

/** An integer of any size as decimal text: amounts, block numbers, gas. */
export const decimal = z
  .string()
  .regex(/^-?[0-9]+$/)
  .meta({ examples: ["1000000"] });
export const text = z.string().meta({ examples: ["Example"] });
export const symbol = text.meta({ examples: ["EXM"] });
/** ISO 8601 in UTC, with milliseconds. */
export const time = z.string().meta({ format: "date-time", examples: ["2021-05-07T11:08:35.000Z"] });
/** In lower case. */
export const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .meta({ examples: ["0x7de3085b3190b3a787822ee16f23be010f5f8686"] });
/** Address of a pool, or its id of 32 bytes where one contract holds the tokens of all pools. */
export const poolId = z
  .string()
  .regex(/^0x([0-9a-f]{40}|[0-9a-f]{64})$/)
  .meta({ examples: ["0x7de3085b3190b3a787822ee16f23be010f5f8686"] });
/** 32 bytes. */
export const hash = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .meta({ examples: ["0x0d9f4a2b2c9b0a7e8c5e6f1d3b4a59687786a5b4c3d2e1f00f1e2d3c4b5a6978"] });
export const hex = z
  .string()
  .regex(/^0x[0-9a-f]*$/)
  .meta({ examples: ["0x"] });
export const integer = z.int().meta({ examples: [0] });
export const boolean = z.boolean().meta({ examples: [true] });

/** A schema with an example. */
export const like = <Schema extends z.ZodType>(schema: Schema, example: JsonValue) =>
  schema.meta({ examples: [example] });
/** A field that has no value yet. */
export const alwaysNull = <Schema extends z.ZodType>(schema: Schema) => like(schema.nullish(), null);

/** A page of rows; other fields can be added. */
export function pageOf<Row extends z.ZodType>(row: Row) {
  return z.object({
    total: like(z.int(), 1),
    page: integer,
    page_size: like(z.int(), 500),
    cursor: like(z.string().nullish(), ""),
    result: z.array(row),
  });
}

export const blockNumber = like(decimal, "12386788");

/** Of responses that consist of the events of blocks. */
export const keptFields = {
  indexed_to_block: like(decimal.optional(), "19386788").describe(
    "The latest block whose events are known, while the server cannot tell whether there are later ones: the chain is being indexed, stands still, or its nodes do not respond or are rejected.",
  ),
  kept_from_block: like(decimal.optional(), "12386788").describe(
    "The first block whose events the server keeps; absent if it has removed none.",
  ),
};

/** A page of events, whose total can be omitted. */
export function listOf<Row extends z.ZodType>(row: Row) {
  return pageOf(row).extend({ total: like(z.int().nullish(), 1), ...keptFields });
}

/** Block fields of a row. */
export const blockFields = { block_timestamp: time, block_number: blockNumber, block_hash: hash };
export const transactionIndex = like(decimal, "3");

export const nativeErc20Price = z
  .object({ value: decimal, decimals: like(z.int(), 18), name: text, symbol, address: address.nullish() })
  .describe("A price in the native coin, in wei, with the contract of the wrapped coin.");
