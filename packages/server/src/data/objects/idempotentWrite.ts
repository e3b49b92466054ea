import type { JsonObject } from "@purse/protocol";
import type { ReplyEcho } from "../../database/requestRecords.ts";
import type { Write } from "../../database/store.ts";

/** A response in wire format. Stored as JSON, so the field names must not change. */
export interface IdempotentResponse {
  status: number;
  body: string;
  headers?: Record<string, string>;
  /** Whether it is one of the responses of a batch. */
  isPart?: true;
}

export interface ResponseToSave {
  response: IdempotentResponse;
  echo?: ReplyEcho | undefined;
}

/** The record of a request with an id, which is executed only once. */
export interface IdempotentRequest {
  /** Returns the write that saves the response of the request, or those of all requests in a batch. */
  saveResponses(replies: readonly ResponseToSave[]): Write;
  /** Whether `executeOnce` was rejected although the request, or a part of it, may have been executed. */
  readonly isOutcomeUnknown: boolean;
  /** Marks the write with the responses as committed. */
  markCommitted(): void;
  /** Returns the record of one request in a batch. */
  subrequest(index: number): IdempotentRequest;
  /**
   * Executes a request in a batch that may never be executed again, also if this process is interrupted. Rejects with
   * ProtocolError 159 if its execution has begun before.
   */
  executeOnce<Result>(execute: () => Promise<Result>): Promise<Result>;
  /**
   * Returns the responses of requests in the batch that were executed before: 159 if a response is not stored, or if
   * a request that may never be executed again has begun and its outcome is unknown.
   */
  completedSubrequests(): Promise<Map<number, IdempotentResponse>>;
  /**
   * Saves the responses of some requests in the batch, and lets a retry execute the others again. The batch itself has no
   * stored response then.
   */
  continueLater(completed: ReadonlyMap<number, IdempotentResponse>): Promise<void>;
}

/** The result of a save before it is serialized. */
interface SavedObject {
  status: number;
  body: JsonObject;
}

type FormatResponse = (saved: SavedObject) => IdempotentResponse;

const formatJson: FormatResponse = ({ status, body }) => ({ status, body: JSON.stringify(body) });

/** Saves the response of a request together with its first write. */
export interface IdempotentWrite {
  /** Returns the writes that save the response; none if an earlier write of the request has saved it. */
  writes(saved: SavedObject, echo?: ReplyEcho): Write[];
  /** Marks the write as committed. */
  markCommitted(): void;
  /** Returns the same record with another response format. */
  withFormat(format: FormatResponse): IdempotentWrite;
  readonly request: IdempotentRequest | undefined;
}

export function createIdempotentWrite(
  request: IdempotentRequest,
  format: FormatResponse = formatJson,
): IdempotentWrite {
  let isUsed = false;
  return {
    request,
    writes(saved, echo) {
      if (isUsed) return [];
      isUsed = true;
      return [request.saveResponses([{ response: format(saved), echo }])];
    },
    markCommitted: () => request.markCommitted(),
    withFormat: (newFormat) => createIdempotentWrite(request, newFormat),
  };
}

/** Creates the record of one request in a transactional batch, whose responses are saved together. */
export function createSubrequestWrite(
  onResponse: (responseToSave: ResponseToSave) => void,
  format: FormatResponse = formatJson,
): IdempotentWrite {
  return {
    request: undefined,
    writes(saved, echo) {
      onResponse({ response: { ...format(saved), isPart: true }, echo });
      return [];
    },
    markCommitted: () => undefined,
    withFormat: (newFormat) => createSubrequestWrite(onResponse, newFormat),
  };
}
