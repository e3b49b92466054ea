import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { ClassSchema } from "../schema/classSchema.ts";

/** What is known of a request with an id. */
export interface KnownRequest {
  /** What the request says, as a hash. */
  content: string;
  /** Whoever carries it out. */
  owner: string;
  /** Until when the owner is taken to be at work, unless it says so again; ms since the epoch. */
  runningUntil: number;
  /** What was answered; null while it is carried out, "" where it is not kept. */
  answer: string | null;
}

/** Fields that an answer has as the write leaves them. */
export interface ReplyEcho {
  schema: ClassSchema;
  id: string;
  fields: string[];
}

/** A reply that is remembered together with the write that it answers. */
export interface RememberedReply {
  /** JSON text of whatever is to be found again. */
  text: string;
  /** Fields of an object as the write has left them, which the reply has, too. */
  echo?: ReplyEcho;
}

/** Remembered replies, as they are kept: JSON of a list of these. */
export interface StoredReply {
  text: string;
  /** The fields of `echo` that the object has. */
  echo?: JsonObject;
}

/** Someone else carries the request out, or has done so. Nothing of its group was written. */
export class RequestTaken extends ProtocolError {
  constructor() {
    super(ErrorCode.DUPLICATE_REQUEST, "Duplicate request");
  }
}

/** Forgets the oldest answers beyond so many characters (the parameter) of all: that requests were made stays known. */
export const FORGET_ANSWERS = `UPDATE purse_requests SET answer = '' WHERE key IN (
  SELECT key FROM (SELECT key, sum(length(answer)) OVER (ORDER BY expires_at DESC, key) AS total
    FROM purse_requests WHERE answer <> '') AS kept WHERE total > ?)`;

/** Answers of parts, by what stands behind the `#` of their keys. */
export function partAnswers(rows: readonly (readonly (string | null)[])[]): Map<string, string> {
  return new Map(rows.map(([key, answer]) => [String(key).replace(/^.*#/, ""), answer ?? ""]));
}
