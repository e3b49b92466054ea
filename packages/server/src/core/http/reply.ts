import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { FastifyReply } from "fastify";
import { currentScope } from "../limits/requestScope.ts";
import type { ApiReply } from "./apiRoute.ts";
import { chunksLength, countedSlicesOf, MAX_SLICE_CHARS } from "./chunkedReply.ts";

const STATUS_BY_CODE: Readonly<Record<number, number>> = {
  [ErrorCode.INTERNAL_SERVER_ERROR]: 500,
  [ErrorCode.OBJECT_NOT_FOUND]: 404,
  [ErrorCode.REQUEST_LIMIT_EXCEEDED]: 429,
};

const JSON_HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

/**
 * Sends a reply: JSON unless its headers say otherwise. Long replies are sent in slices of time, in which senders of
 * requests take turns.
 */
export function sendReply(reply: FastifyReply, answer: ApiReply, sender?: string): FastifyReply {
  const { status, headers, chunks } = answer;
  reply.code(status).headers(JSON_HEADERS);
  if (headers) setHeaders(reply, headers);
  // Reading the body of a chunked reply would join its chunks.
  if (chunks) return sendChunks(reply, chunks, sender);
  const { body } = answer;
  return body.length > MAX_SLICE_CHARS ? sendChunks(reply, [body], sender) : reply.send(body);
}

function sendChunks(
  reply: FastifyReply,
  chunks: readonly string[],
  sender: string | undefined,
): FastifyReply {
  const length = chunksLength(chunks);
  if (length !== undefined) reply.header("content-length", length);
  return reply.send(
    Readable.from(countedSlicesOf(chunks, reply.request.socket, sender), { highWaterMark: 1 }),
  );
}

/** Fastify sends names in lower case. The PHP SDK finds those of Parse Server only as Parse Server spells them. */
function setHeaders(reply: FastifyReply, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name === name.toLowerCase()) reply.header(name, value);
    else reply.raw.setHeader(name, value);
  }
}

/**
 * Sends the reply of a handler; one that has written the response itself has no reply. Errors go to the error handler of
 * the API.
 */
export function respond(reply: FastifyReply, handling: Promise<ApiReply | undefined>): void {
  handling.then(
    (answer) => {
      if (answer) sendAtEndOfTurn(reply, answer);
    },
    (error: unknown) => reply.send(error),
  );
}

let pending: { reply: FastifyReply; answer: ApiReply; sender: string | undefined }[] = [];

/**
 * Sends a reply after all requests that have arrived in this turn of the event loop were handled. System calls that
 * follow each other are cheaper than those between other work: each of those may have to wake the process that reads.
 */
function sendAtEndOfTurn(reply: FastifyReply, answer: ApiReply): void {
  const sender = currentScope()?.group;
  if (pending.push({ reply, answer, sender }) > 1) return;
  setImmediate(() => {
    const replies = pending;
    pending = [];
    for (const each of replies) sendOrFail(each.reply, each.answer, each.sender);
  });
}

/** Sends a reply, or an error if it is invalid, such as one with a header of cloud code that has two lines. */
function sendOrFail(reply: FastifyReply, answer: ApiReply, sender: string | undefined): void {
  try {
    sendReply(reply, answer, sender);
  } catch (error) {
    for (const name of Object.keys(answer.headers ?? {})) reply.removeHeader(name);
    reply.send(error);
  }
}

/** Sends the reply of a handler that may write the response itself, with the headers of every response. */
export function respondOrStream(
  reply: FastifyReply,
  handle: (message: IncomingMessage, response: ServerResponse) => Promise<ApiReply | undefined>,
): void {
  const { request, raw } = reply;
  raw.setHeader("x-request-id", request.id);
  respond(reply, handle(request.raw, raw));
}

/**
 * Converts an error to a reply. Unexpected errors (a bug, a broken disk) are hidden from clients and passed to
 * `report`, as is the cause of an error for clients that nothing has reported.
 */
export function errorReply(error: unknown, report: (error: unknown) => void): ApiReply {
  if (error instanceof ProtocolError) {
    if ("unreportedCause" in error) report(error.unreportedCause);
    const status = error.status ?? STATUS_BY_CODE[error.code] ?? 400;
    const retryAfter = "retryAfter" in error ? error.retryAfter : undefined;
    const headers = typeof retryAfter === "number" && { "retry-after": String(retryAfter) };
    return { status, body: JSON.stringify(error), ...(headers && { headers }) };
  }
  if (error instanceof URIError) return { status: 400, body: '{"code":102,"error":"The path is not valid"}' };
  const invalid = httpError(error);
  if (invalid) return invalid;
  report(error);
  return { status: 500, body: '{"code":1,"error":"Internal server error."}' };
}

/** The reply to a request that Fastify or a plugin of it refuses, such as one with a malformed header or path. */
function httpError(error: unknown): ApiReply | undefined {
  if (!(error instanceof Error && "statusCode" in error)) return undefined;
  const { statusCode: status, message } = error;
  const code = "code" in error ? error.code : undefined;
  if (typeof status !== "number" || status < 400 || status >= 500) return undefined;
  const isMeantForClients = "expose" in error && error.expose === true;
  if (!isMeantForClients && !String(code).startsWith("FST_")) return undefined;
  if (code === "FST_ERR_BAD_URL") return errorReply(new URIError(), () => undefined);
  return { status, body: JSON.stringify({ code: ErrorCode.INVALID_QUERY, error: message }) };
}
