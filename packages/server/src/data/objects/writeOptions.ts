import type { ApiRequest } from "../../core/http/apiRoute.ts";
import type { Write } from "../../database/store.ts";
import type { IdempotentWrite } from "./idempotentWrite.ts";
import type { WriteTransaction } from "./writeTransaction.ts";

/** Options of one write of an object. */
export interface WriteOptions {
  /** Whether the ID of a new object may be chosen, regardless of what the server allows its clients. */
  allowCustomId?: boolean;
  /** Whether no triggers run. */
  skipsTriggers?: boolean;
  /** An update is rejected if its object has changed since this time (ISO 8601). */
  ifUpdatedAt?: string;
  /** Deletions and other writes in the same transaction. */
  additionalWrites?: readonly Write[];
  /** The transaction that the write joins, together with those of other requests. */
  transaction?: WriteTransaction;
  /**
   * Whether a large write may be divided into turns of the event loop. Those of a batch are not, as they are stored in their
   * order.
   */
  isDivisible?: boolean;
  /** If the request has an ID: stores its response together with its only write. */
  idempotentWrite?: IdempotentWrite | undefined;
}

/** A request whose route may write objects. */
export interface WriteRequest extends ApiRequest {
  /** To be passed to the write of the request. */
  writeOptions: WriteOptions;
}
