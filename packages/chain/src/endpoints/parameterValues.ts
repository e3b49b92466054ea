import { isJsonObject, type JsonObject, type JsonValue, ProtocolError, parseJson } from "@purse/protocol";
import { z } from "zod";
import { entriesOrProblem } from "../abi/abiEntries.ts";
import { parseTopic } from "../events/parseSelection.ts";
import { parseTime } from "./parseTime.ts";

/*
 * Schemas of parameter values. Numbers are also accepted as text, and lists as text with commas, because query strings
 * contain text only. An error message continues a sentence that begins with the name of the parameter.
 */

const MAX_LIST = 100;
const MAX_TEXT = 1_000;
const MAX_DAYS = 3_650;
const MAX_UINT256 = 2n ** 256n - 1n;

export type Hex = `0x${string}`;

const CHAIN_ERROR = "must be the name or the id of a chain";
/** A name or id in any spelling; resolved by the chain selector. */
export const chainSelector = z.preprocess(
  (value) => (Number.isSafeInteger(value) ? String(value) : value),
  z.string(CHAIN_ERROR).max(MAX_TEXT, CHAIN_ERROR),
);

/** An address; returned in lower case, like all hex values. */
export const address = hex(
  "0x7de3085b3190b3a787822ee16f23be010f5f8686",
  "must be an address: 0x and 40 hexadecimal digits",
);
export const addresses = list(address);
const HASH_EXAMPLE = "0x0d9f4a2b2c9b0a7e8c5e6f1d3b4a59687786a5b4c3d2e1f00f1e2d3c4b5a6978";
/** 32 bytes. */
export const hash = hex(HASH_EXAMPLE, "must be a hash: 0x and 64 hexadecimal digits");

/** Topic 0 of an event, also as the signature of the event. */
export const eventTopic = z.preprocess(
  (value) => (typeof value === "string" && value.includes("(") ? topicOf(value) : value),
  hash,
);

/** An indexed argument of an event: 32 bytes, or an address, which is indexed with zeros before it. */
export const topicValue = z.preprocess(
  (value) =>
    typeof value === "string" ? value.trim().replace(/^0x([0-9a-f]{40})$/i, `0x${"0".repeat(24)}$1`) : value,
  hash,
);

function topicOf(signature: string): string {
  try {
    return parseTopic(signature);
  } catch {
    return signature;
  }
}

const POOL_ERROR = "must be an address, or the id of a pool: 0x and 40 or 64 hexadecimal digits";
/** The contract of a pool, or its id where one contract holds the tokens of all pools. */
export const poolId = z
  .string(POOL_ERROR)
  .trim()
  .regex(/^0[xX]([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/, POOL_ERROR)
  .meta({ examples: ["0x7de3085b3190b3a787822ee16f23be010f5f8686"] })
  .transform((text): Hex => `0x${text.slice(2).toLowerCase()}`);

/** Hex with as many digits as the example. */
function hex(example: Hex, error: string) {
  return z
    .string(error)
    .trim()
    .regex(new RegExp(`^0[xX][0-9a-fA-F]{${example.length - 2}}$`), error)
    .meta({ examples: [example] })
    .transform((text): Hex => `0x${text.slice(2).toLowerCase()}`);
}

export const INTEGER_ERROR = "must be a non-negative integer";
/** A non-negative integer, as number or as text, decimal or hexadecimal as in JSON-RPC. */
export const blockNumber = z.preprocess(blockToNumber, z.int(INTEGER_ERROR).min(0, INTEGER_ERROR));

function blockToNumber(value: unknown): unknown {
  const isHex = typeof value === "string" && /^0x[0-9a-f]{1,16}$/i.test(value.trim());
  return isHex ? atMostSafe(Number(value.trim())) : textToNumber(value);
}

/** Numbers that are larger than any block or row, such as the largest of 64 bits, stand for "no limit". */
export function textToNumber(value: unknown): unknown {
  const isDecimal = typeof value === "string" && /^\d{1,78}$/.test(value.trim());
  return isDecimal || Number.isInteger(value) ? atMostSafe(Number(value)) : value;
}

function atMostSafe(number: number): number {
  return Math.min(number, Number.MAX_SAFE_INTEGER);
}

const BLOCK_ERROR = "must be a block number, a hash of 0x and 64 hexadecimal digits, or latest";
export const blockOrHash = z.preprocess(
  blockToNumber,
  z.union(
    [z.literal("latest"), z.int(BLOCK_ERROR).min(0, BLOCK_ERROR), hex(HASH_EXAMPLE, BLOCK_ERROR)],
    BLOCK_ERROR,
  ),
);

const TEXT_ERROR = `must be text of 1 to ${MAX_TEXT} characters without NUL`;
export const text = z.preprocess(
  (value) => (typeof value === "number" ? String(value) : value),
  z
    .string(TEXT_ERROR)
    .min(1, TEXT_ERROR)
    .max(MAX_TEXT, TEXT_ERROR)
    .regex(/\S/, TEXT_ERROR)
    // PostgreSQL's text cannot contain it.
    .refine((value) => !value.includes("\0"), TEXT_ERROR),
);
export const texts = list(text);

/**
 * A time as ISO 8601 or another format that Date parses, in UTC unless it has a time zone, or as seconds or
 * milliseconds since the epoch. Returns seconds.
 */
export const time = z
  .unknown()
  .transform((value, context) => {
    const seconds = parseTime(isJsonObject(value) && value.__type === "Date" ? value.iso : value);
    if (seconds !== undefined) return seconds;
    context.addIssue("must be a date, or seconds or milliseconds since the epoch");
    return z.NEVER;
  })
  .meta({
    anyOf: [
      { type: "string", format: "date-time", examples: ["2021-05-07T11:08:35Z"] },
      { type: "integer", description: "Seconds or milliseconds since the epoch." },
    ],
  });

const DAYS_ERROR = `must be an integer from 1 to ${MAX_DAYS}`;
export const days = z.preprocess(
  textToNumber,
  z.int(DAYS_ERROR).min(1, DAYS_ERROR).max(MAX_DAYS, DAYS_ERROR),
);

const BOOLEAN_ERROR = "must be true or false";
export const boolean = z.preprocess(
  (value) => BOOLEANS.get(inLowerCase(value)) ?? value,
  z.boolean(BOOLEAN_ERROR),
);
const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** Text in lower case and without spaces around it. Texts that are longer than any value are left as they are. */
function inLowerCase(value: unknown): unknown {
  return typeof value === "string" && value.length <= MAX_TEXT ? value.trim().toLowerCase() : value;
}

/** One of the choices, in any case. */
export function choice<const Choices extends readonly [string, ...string[]]>(choices: Choices) {
  return z.preprocess(
    inLowerCase,
    z.enum(choices, `must be ${choices.length === 1 ? "" : "one of "}${choices.join(", ")}`),
  );
}

/** A list as an array, as repeated parameters, as text with commas, or as JSON. Duplicates are removed. */
export function list<Item extends z.ZodType>(item: Item) {
  return z
    .preprocess(
      (value, context) => {
        const json = typeof value === "string" && value.trim().startsWith("[") ? tryParse(value) : undefined;
        // One extra item shows that there are too many.
        const items: unknown[] = Array.isArray(value)
          ? value
          : Array.isArray(json)
            ? json
            : typeof value === "string"
              ? value.split(",", MAX_LIST + 1)
              : [value];
        if (items.length === 0) context.addIssue("must contain at least one item");
        if (items.length > MAX_LIST) context.addIssue(`must contain at most ${MAX_LIST} items`);
        return items.map((each) => (typeof each === "string" ? each.trim() : each));
      },
      z.array(item).transform((items) => [...new Set(items)]),
    )
    .meta({ minItems: 1, maxItems: MAX_LIST });
}

/** An object, or its JSON. */
export const object = z.preprocess(
  parseIfText,
  z.custom<JsonObject>(isJsonObject, "must be an object").meta({ type: "object" }),
);

const ABI_ERROR = "must be an ABI: a list of entries or a single entry";
const abiEntry = z
  .custom<JsonObject>((value) => isJsonObject(value) && Object.keys(value).length > 0, ABI_ERROR)
  .meta({
    type: "object",
    examples: [{ type: "function", name: "name", inputs: [], outputs: [{ type: "string" }] }],
  });
/** Entries of an ABI: a list, a single entry, the file of a build tool, or these as JSON; or declarations. */
export const abi = z.preprocess(
  parseAbi,
  z.union([abiEntry.transform((entry) => [entry]), arrayOf(abiEntry, ABI_ERROR)], ABI_ERROR),
);

function parseAbi(value: unknown, context: z.RefinementCtx): unknown {
  if (value === undefined) return value;
  const entries = entriesOrProblem(value);
  if (typeof entries !== "string") return entries;
  context.addIssue(entries);
  return z.NEVER;
}

function parseIfText(value: unknown, context: z.RefinementCtx): unknown {
  if (typeof value !== "string") return value;
  try {
    return parseJson(value);
  } catch (error) {
    context.addIssue(error instanceof ProtocolError ? `: ${error.message}` : "must be JSON");
    return z.NEVER;
  }
}

const PATH_ERROR = "must contain relative paths such as folder/file.txt, without . and .. segments";
const FILES_ERROR = 'must be a list of files: [{"path", "content"}]';
const FILE_ERROR = "must be a list of files, each with a path and a content";
const file = z.object(
  {
    content: z
      .custom<JsonValue>((value) => value !== undefined && value !== null, FILE_ERROR)
      .meta({
        description: "Base64 text, or the JSON that the file is to hold.",
        examples: [{ name: "Cat" }],
      }),
    path: z
      .string(PATH_ERROR)
      .max(MAX_TEXT, PATH_ERROR)
      .overwrite((path) => path.replace(/^\/+/, ""))
      .refine(isRelativePath, PATH_ERROR)
      .meta({ description: "Relative, as folder/file.txt.", examples: ["cat.json"] }),
  },
  FILE_ERROR,
);
/** Files of a directory. */
export const files = z.preprocess(
  parseIfText,
  arrayOf(file, FILES_ERROR).refine(
    (entries) => new Set(entries.map(({ path }) => path)).size === entries.length,
    "must not contain two files with the same path",
  ),
);

/** A list of any length. It is rejected with the error of its first invalid item, as collecting all takes long. */
function arrayOf<Item extends z.ZodType>(item: Item, error: string) {
  const { $schema, ...items } = z.toJSONSchema(item, { io: "input", unrepresentable: "any" });
  return z
    .array(z.unknown(), error)
    .min(1, error)
    .transform((values, context) => {
      const parsed: z.output<Item>[] = [];
      for (const value of values) {
        const result = item.safeParse(value);
        if (!result.success) {
          context.addIssue(result.error.issues[0]?.message ?? error);
          return z.NEVER;
        }
        parsed.push(result.data);
      }
      return parsed;
    })
    .meta({ items });
}

function isRelativePath(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  return !/[\\\u0000-\u001f\u007f]/.test(path) && !path.split("/").some((each) => /^\.{0,2}$/.test(each));
}

const TOKEN_ID_ERROR = "must be a token id: an integer below 2^256, decimal or hexadecimal with 0x";
/** A uint256 as decimal or hex with 0x. */
export const tokenId = z.preprocess(
  (value) => (Number.isSafeInteger(value) ? String(value) : value),
  z
    .string(TOKEN_ID_ERROR)
    .trim()
    // The largest has 78 decimal digits; longer text is not parsed.
    .regex(/^([0-9]{1,78}|0[xX][0-9a-fA-F]{1,64})$/, TOKEN_ID_ERROR)
    .meta({ examples: ["7"] })
    .transform(BigInt)
    .refine((id) => id <= MAX_UINT256, TOKEN_ID_ERROR),
);

const NFTS_ERROR = 'must be a list of 1 to 100 NFTs: [{"token_address", "token_id"}]';
/** NFTs by contract and id. */
export const nftKeys = z.preprocess(
  (value, context) => inSnakeCase(parseIfText(value, context)),
  z
    .array(z.object({ token_address: address, token_id: tokenId }, NFTS_ERROR), NFTS_ERROR)
    .min(1, NFTS_ERROR)
    .max(MAX_LIST, NFTS_ERROR),
);

const DOMAIN_ERROR = "must be a domain such as name.eth";
/** A name with labels and dots; the registry decides whether it exists. */
export const domain = z.preprocess(
  inLowerCase,
  z
    .string(DOMAIN_ERROR)
    .max(255, DOMAIN_ERROR)
    .regex(/^[^\s\p{C}/\\?#%.]+(\.[^\s\p{C}/\\?#%.]+)+$/u, DOMAIN_ERROR)
    .meta({ examples: ["brad.crypto"] }),
);

const TOKENS_ERROR = 'must be a list of 1 to 100 tokens: [{"token_address", "exchange", "to_block"}]';
/** Tokens whose prices are requested: addresses, or objects with an exchange and a block. */
export const tokenRequests = z.preprocess(
  (value) => {
    const items = typeof value === "string" && value.trim().startsWith("[") ? tryParse(value) : value;
    const rows: unknown = typeof items === "string" ? items.split(",") : items;
    return inSnakeCase(
      Array.isArray(rows)
        ? rows.map((row) => (typeof row === "string" ? { token_address: row } : row))
        : rows,
    );
  },
  z
    .array(
      z.object(
        {
          token_address: address,
          exchange: text.optional().meta({ examples: ["uniswapv2"] }),
          to_block: blockNumber.optional(),
        },
        TOKENS_ERROR,
      ),
      TOKENS_ERROR,
    )
    .min(1, TOKENS_ERROR)
    .max(MAX_LIST, TOKENS_ERROR),
);

/** Rows whose keys may be written as in the responses: `tokenAddress`. */
function inSnakeCase(rows: unknown): unknown {
  if (!Array.isArray(rows)) return rows;
  return rows.map((row: unknown) => {
    if (!isJsonObject(row)) return row;
    const entries = Object.entries(row).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]);
    return Object.fromEntries(entries);
  });
}

function tryParse(value: string): unknown {
  try {
    return parseJson(value);
  } catch {
    return undefined;
  }
}

/** Lengths of intervals; a week begins on Monday, a month on its first day, both in UTC. */
const TIMEFRAMES = ["1min", "5min", "10min", "30min", "1h", "4h", "12h", "1d", "1w", "1M"] as const;
/** Unlike other choices case-sensitive, as a minute is not a month. */
export const timeframe = z.enum(TIMEFRAMES, `must be one of ${TIMEFRAMES.join(", ")}`);
