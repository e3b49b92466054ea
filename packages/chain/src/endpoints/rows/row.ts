import type { JsonObject, JsonValue } from "@purse/protocol";
import type { ResponseSchema } from "../schemas.ts";

export type Hex = `0x${string}`;

/**
 * Position in an ordered list: the sort key of the last row of a page, as numbers and hex, and the number of the next
 * page.
 */
export interface Cursor {
  parts: (number | string)[];
  /** Counted from 0. */
  page: number;
}

/** A file of a directory; `content` is base64 text or JSON. */
export interface FolderFile {
  /** Relative, without empty, `.` and `..` segments. */
  path: string;
  content: JsonValue;
}

export interface OrderField {
  field: string;
  descending: boolean;
}

/** Types of parsed parameters by kind. */
export interface KindTypes {
  /** A name or id in any spelling; resolved by the chain selector. */
  chain: string;
  /** In lower case, like all hex values. */
  address: Hex;
  addresses: Hex[];
  /** 32 bytes. */
  hash: Hex;
  blockOrHash: number | Hex | "latest";
  text: string;
  texts: string[];
  integer: number;
  block: number;
  /** Seconds since the epoch. */
  time: number;
  limit: number;
  offset: number;
  cursor: Cursor;
  format: "decimal" | "hex";
  choice: string;
  choices: string[];
  /** One or more entries of an ABI. */
  abi: JsonObject[];
  json: JsonObject;
  files: FolderFile[];
  tokenId: bigint;
  domain: string;
  days: number;
  order: OrderField[];
  /** Accepted from old clients and ignored. */
  ignored: undefined;
}

export type Kind = keyof KindTypes;

export interface ParameterRow {
  name: string;
  in: "path" | "query" | "body";
  kind: Kind;
  required: boolean;
  /** Default value. */
  default?: string | number;
  /** Allowed values of kinds "choice" and "choices". */
  choices?: readonly string[];
  about: string;
}

export interface EndpointRow {
  /** Name of the cloud function and of the operation in `Web3API`. */
  name: string;
  /** Names in later clients. */
  aliases?: readonly string[];
  group: "native" | "account" | "token" | "resolve" | "defi" | "storage" | "info";
  method: "GET" | "POST" | "PUT";
  /** With `{parameter}` segments. */
  path: string;
  parameters: readonly ParameterRow[];
  /**
   * The JSON body of REST requests: an object with the body parameters as properties, or the one body parameter
   * itself. In calls of the cloud function, the latter can have any of these names; the first is its own.
   */
  body?: "properties" | { readonly parameter: readonly string[] };
  response: ResponseSchema;
  /** How its pages are requested. */
  paging: "cursor" | "offset" | "both" | "none";
  status: 200 | 201;
  /** Cost of a call for the rate limit. */
  weight: string;
  about: string;
}
