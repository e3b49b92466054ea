import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { ClassSchema } from "./classSchema.ts";

/** The record of a request with an id. */
export interface RequestRecord {
  /** Hash of the request's content. */
  contentHash: string;
  /** The process or attempt that executes the request. */
  owner: string;
  /** Time until which the owner is considered to be running, unless renewed; ms since the epoch. */
  leaseExpiresAt: number;
  /** The response; null while the request is running, "" if it is no longer stored. */
  reply: string | null;
}

/** Fields of an object that a reply repeats as the write leaves them. */
export interface ReplyEcho {
  schema: ClassSchema;
  id: string;
  fields: string[];
}

/** A reply that is saved in the same transaction as its write. */
export interface PendingReply {
  /** The reply as JSON text. */
  text: string;
  /** Fields of an object after the write, which the reply contains, too. */
  echo?: ReplyEcho;
}

/** A saved reply. Stored as JSON, so the field names must not change. */
export interface StoredReply {
  text: string;
  /** Those fields of `echo` that the object has. */
  echo?: JsonObject;
}

/** The request is being executed elsewhere, or was executed before. Nothing of its transaction was written. */
export class DuplicateRequestError extends ProtocolError {
  constructor() {
    super(ErrorCode.DUPLICATE_REQUEST, "Duplicate request");
  }
}

/** Discards the oldest replies beyond a total length (the parameter), but keeps the records of their requests. */
export const DISCARD_OLD_REPLIES = `UPDATE purse_requests SET answer = '' WHERE key IN (
  SELECT key FROM (SELECT key, sum(length(answer)) OVER (ORDER BY expires_at DESC, key) AS total
    FROM purse_requests WHERE answer <> '') AS kept WHERE total > ?)`;

/** Returns the replies of batched requests by the part of their keys after `#`. */
export function subrequestReplies(rows: readonly (readonly (string | null)[])[]): Map<string, string | null> {
  return new Map(rows.map(([key, reply = null]) => [String(key).replace(/^.*#/, ""), reply]));
}
