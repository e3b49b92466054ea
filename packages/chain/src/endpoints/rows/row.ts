import type { JsonObject, JsonValue } from "@purse/protocol";
import type { Answer } from "../schemas.ts";

export type Hex = `0x${string}`;

/**
 * A place in an ordered list: where the last row of a page stood, in numbers and bytes (hex), and the number of the
 * page that follows.
 */
export interface Cursor {
  parts: (number | string)[];
  /** Counted from 0. */
  page: number;
}

/** One file of a folder; `content` is base64 text or the JSON that the file holds. */
export interface FolderFile {
  /** Relative, without empty, `.` and `..` segments. */
  path: string;
  content: JsonValue;
}

export interface OrderField {
  field: string;
  descending: boolean;
}

/** What a handler gets for each kind of parameter. */
export interface KindTypes {
  /** A name or an id in any spelling; what it means is for the chains to say. */
  chain: string;
  /** In lower case, as everything in hexadecimal. */
  address: Hex;
  addresses: Hex[];
  /** 32 bytes. */
  hash: Hex;
  blockOrHash: number | Hex | "latest";
  text: string;
  texts: string[];
  whole: number;
  block: number;
  /** In seconds since the epoch. */
  time: number;
  limit: number;
  offset: number;
  cursor: Cursor;
  format: "decimal" | "hex";
  choice: string;
  choices: string[];
  /** The entries of an ABI, one or more. */
  abi: JsonObject[];
  json: JsonObject;
  files: FolderFile[];
  tokenId: bigint;
  domain: string;
  days: number;
  order: OrderField[];
  /** Accepted from old clients and never used. */
  ignored: undefined;
}

export type Kind = keyof KindTypes;

export interface ParameterRow {
  name: string;
  in: "path" | "query" | "body";
  kind: Kind;
  required: boolean;
  /** What a call without it means. */
  default?: string | number;
  /** What kind "choice" and "choices" allow. */
  choices?: readonly string[];
  about: string;
}

export interface EndpointRow {
  /** The server function's name and the operation's in `Web3API`. */
  name: string;
  /** Under which later clients call it. */
  otherNames?: readonly string[];
  group: "native" | "account" | "token" | "resolve" | "defi" | "storage" | "info";
  method: "GET" | "POST" | "PUT";
  /** With `{parameter}` segments. */
  path: string;
  parameters: readonly ParameterRow[];
  /**
   * The JSON body of REST: an object with the body parameters as its properties, or as a whole the one body
   * parameter, which in calls of the server function has any of these names, the first being the parameter's.
   */
  body?: "properties" | { readonly whole: readonly string[] };
  answer: Answer;
  /** What pages of it are asked for by. */
  paging: "cursor" | "offset" | "both" | "none";
  status: 200 | 201;
  /** What a call costs of the rate limit. */
  weight: string;
  about: string;
}
