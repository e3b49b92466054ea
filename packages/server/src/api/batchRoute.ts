import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  readEmptyArrayAsObject,
} from "@purse/protocol";
import { z } from "zod";
import { bypassesPermissions } from "../core/authContext.ts";
import type { ApiReply, ApiRoute } from "../core/http/apiRoute.ts";
import {
  assertBatchLimits,
  type BatchedRequest,
  MAX_BATCH_PATH_LENGTH,
  MAX_BATCH_REQUESTS,
} from "../core/http/batchLimits.ts";
import { chunkedReply } from "../core/http/chunkedReply.ts";
import { jsonObject, jsonValue, routeOf } from "../core/http/endpoint.ts";
import { TimeSlicer } from "../core/limits/timeSlicer.ts";
import {
  createIdempotentWrite,
  createSubrequestWrite,
  type ResponseToSave,
} from "../data/objects/idempotentWrite.ts";
import { jsonListChunks } from "../data/objects/jsonList.ts";
import type { Objects, PreparedCreate } from "../data/objects/objects.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";
import { BatchTransaction } from "../data/objects/writeTransaction.ts";
import type { Store } from "../database/store.ts";
import { BatchCreates } from "./batchCreates.ts";

/** Executes one request of a batch with the permissions of the batch's sender. */
type ExecuteBatchRequest = (
  request: WriteRequest,
  method: string,
  path: string,
  params: JsonObject,
) => Promise<ApiReply>;

/**
 * Prepares the create that a request of a batch consists of. Returns the reply if that fails, and undefined if the
 * request has to be executed on its own.
 */
export type PrepareBatchedRequest = (request: BatchedRequest) => PreparedCreate | ApiReply | undefined;

export interface BatchRouteOptions {
  mountPath: string;
  store: Store;
  execute: ExecuteBatchRequest;
  /** Returns what prepares the requests of a batch. */
  prepareFor(request: WriteRequest): PrepareBatchedRequest;
  createEach: Objects["createEach"];
  /** Called with errors whose details clients do not see. */
  report(error: unknown, requestId: string): void;
}

const ENDPOINT = {
  method: "POST",
  path: "/batch",
  access: "everyone",
  heading: "Objects",
  summary: `Execute up to ${MAX_BATCH_REQUESTS} requests; \`transaction\` executes all or none`,
  schemas: () => ({
    body: z.object({
      requests: z.array(
        z.object({
          method: z.enum(["GET", "POST", "PUT", "DELETE"]),
          path: z.string().describe("With the mount path: `/server/classes/Note`"),
          body: jsonObject().optional(),
        }),
      ),
      transaction: z.boolean().optional(),
    }),
    response: z
      .array(
        z.object({
          success: jsonValue().optional(),
          error: z.object({ code: z.int(), error: z.string() }).optional(),
        }),
      )
      .describe("Results in the order of the requests"),
  }),
  retry: "write",
} as const;

/**
 * Executes many requests at once. Paths contain the server's mount path (`/server/classes/A`). Results are in the order
 * of the requests, each `{success}` or `{error}`. The requests run concurrently, so that their writes share a commit.
 */
export function batchRoute(options: BatchRouteOptions): ApiRoute<WriteRequest> {
  const { mountPath, store, execute } = options;
  return routeOf(ENDPOINT, async (request: WriteRequest) => {
    const { requests, transaction } = request.params;
    if (!Array.isArray(requests))
      throw new ProtocolError(ErrorCode.INVALID_JSON, "requests must be an array");
    if (requests.length > MAX_BATCH_REQUESTS) {
      throw new ProtocolError(ErrorCode.INVALID_JSON, `a batch takes ${MAX_BATCH_REQUESTS} requests at most`);
    }
    const batchedRequests = requests.map((value) => parseBatchedRequest(value, mountPath));
    if (!bypassesPermissions(request.auth)) assertBatchLimits(batchedRequests);
    const replies =
      transaction === true
        ? await executeTransaction(request, batchedRequests)
        : await executeIndependently(request, batchedRequests);
    const results = replies.map((reply) => `{"${reply.status < 300 ? "success" : "error"}":${reply.body}}`);
    return chunkedReply(jsonListChunks("[", results, "]"));
  });

  /**
   * Executes each request on its own. A request that an interrupted attempt, or one that failed in part, has already
   * executed returns its earlier reply.
   */
  async function executeIndependently(
    request: WriteRequest,
    batchedRequests: BatchedRequest[],
  ): Promise<ApiReply[]> {
    const batchRecord = request.writeOptions.idempotentWrite?.request;
    if (!batchRecord) return executeInRuns({ ...request, writeOptions: {} }, batchedRequests);
    const completed = await batchRecord.completedSubrequests();
    const replies = await startAll(batchedRequests, async (batchedRequest, index) => {
      const earlierReply = completed.get(index);
      if (earlierReply) return earlierReply;
      const idempotentWrite = createIdempotentWrite(batchRecord.subrequest(index));
      const reply = await execute(
        { ...request, writeOptions: { idempotentWrite } },
        batchedRequest.method,
        batchedRequest.path,
        batchedRequest.params,
      );
      if (!isDuplicate(reply)) return reply;
      // An attempt that was considered interrupted has executed it in the meantime.
      return (await batchRecord.completedSubrequests()).get(index) ?? reply;
    });
    // A retry executes those again that failed because of the server, such as one whose database was not available, and
    // learns of those whose outcome is unknown.
    const final = [...replies.entries()].filter(
      ([index, { status }]) => status < 500 && !batchRecord.subrequest(index).isOutcomeUnknown,
    );
    if (final.length < replies.length) await batchRecord.continueLater(new Map(final));
    return replies;
  }

  /** Executes consecutive creates as one job, and other requests on their own, concurrently. */
  async function executeInRuns(
    request: WriteRequest,
    batchedRequests: readonly BatchedRequest[],
  ): Promise<ApiReply[]> {
    const replies: ApiReply[] = [];
    const prepare = options.prepareFor(request);
    const report = (error: unknown) => options.report(error, request.requestId);
    const creates = new BatchCreates({ request, createEach: options.createEach, replies, report });
    const executed: (Promise<void> | undefined)[] = [];
    const slices = new TimeSlicer();
    for (const [index, batchedRequest] of batchedRequests.entries()) {
      if (slices.isExpired) {
        executed.push(creates.flush());
        await slices.pause();
      }
      const prepared = prepare(batchedRequest);
      if (prepared === undefined) {
        executed.push(creates.flush());
        const { method, path, params } = batchedRequest;
        executed.push(
          execute(request, method, path, params).then((reply) => {
            replies[index] = reply;
          }),
        );
        // Lets the request run as far as it can.
        await Promise.resolve();
      } else if ("write" in prepared) creates.add(prepared, index);
      else replies[index] = prepared;
    }
    executed.push(creates.flush());
    await Promise.all(executed);
    return replies;
  }

  /** Executes all requests or none: the error of one is the error of the batch. */
  async function executeTransaction(
    request: WriteRequest,
    batchedRequests: BatchedRequest[],
  ): Promise<ApiReply[]> {
    const batchRecord = request.writeOptions.idempotentWrite?.request;
    const savedReplies: ResponseToSave[] = [];
    const transaction = new BatchTransaction(
      {
        write: (writes) =>
          store.write(batchRecord ? [...writes, batchRecord.saveResponses(savedReplies)] : writes),
      },
      batchedRequests.length,
    );
    const replies = await startAll(batchedRequests, async (batchedRequest, index) => {
      let hasWritten = false;
      const idempotentWrite = createSubrequestWrite((reply) => {
        savedReplies[index] = reply;
      });
      const transactionRequest: WriteRequest = {
        ...request,
        writeOptions: {
          idempotentWrite: batchRecord && idempotentWrite,
          transaction: {
            add: (writes) => {
              // Writes after the first one are not part of the transaction, like those of a trigger.
              if (hasWritten) return store.write(writes);
              hasWritten = true;
              return transaction.add(writes);
            },
          },
        },
      };
      const reply = await execute(
        transactionRequest,
        batchedRequest.method,
        batchedRequest.path,
        batchedRequest.params,
      );
      if (!hasWritten && reply.status >= 300) transaction.fail(errorOf(reply));
      else if (!hasWritten) {
        savedReplies[index] = { response: { ...reply, isPart: true } };
        transaction.skip();
      }
      return reply;
    });
    const failed = replies.find((reply) => reply.status >= 300);
    if (failed) throw errorOf(failed);
    batchRecord?.markCommitted();
    return replies;
  }
}

/** Starts all requests concurrently; yields to the event loop if starting them takes long. */
async function startAll<T>(
  requests: readonly BatchedRequest[],
  start: (request: BatchedRequest, index: number) => Promise<T>,
): Promise<T[]> {
  const started: Promise<T>[] = [];
  const slices = new TimeSlicer();
  for (const [index, request] of requests.entries()) {
    if (slices.isExpired) await slices.pause();
    started.push(start(request, index));
    // Lets the requests that have been started run as far as they can.
    await Promise.resolve();
  }
  return Promise.all(started);
}

function isDuplicate({ status, body }: ApiReply): boolean {
  return status >= 300 && errorOf({ status, body }).code === ErrorCode.DUPLICATE_REQUEST;
}

function errorOf({ body, status }: ApiReply): ProtocolError {
  const { code, error }: { code: number; error: string } = JSON.parse(body);
  return new ProtocolError(code, error, status);
}

function parseBatchedRequest(value: JsonValue, mountPath: string): BatchedRequest {
  if (!isJsonObject(value) || typeof value.method !== "string" || typeof value.path !== "string") {
    throw new ProtocolError(ErrorCode.INVALID_JSON, "each request of a batch has a method and a path");
  }
  const { method } = value;
  const body = readEmptyArrayAsObject(value.body ?? {});
  if (value.path.length > MAX_BATCH_PATH_LENGTH) {
    throw new ProtocolError(
      ErrorCode.INVALID_JSON,
      `the path of a request takes ${MAX_BATCH_PATH_LENGTH} characters at most`,
    );
  }
  if (!isJsonObject(body))
    throw new ProtocolError(ErrorCode.INVALID_JSON, "the body of a request must be an object");
  const path = value.path.startsWith(`${mountPath}/`) ? value.path.slice(mountPath.length) : value.path;
  if (/^\/*batch\b/.test(path))
    throw new ProtocolError(ErrorCode.INVALID_JSON, "nested batch requests are not allowed");
  return { method, path, params: body };
}
