import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { partMemory, type RepliedWrite, writeMemory } from "../objects/requestMemory.ts";
import { WriteTogether } from "../objects/writeTogether.ts";
import type { Store } from "../store/store.ts";
import type { ApiReply, ApiRequest, ApiRoute } from "./api.ts";
import {
  assertBatchLimits,
  type BatchedRequest,
  MAX_BATCH_PATH_LENGTH,
  MAX_BATCH_REQUESTS,
} from "./batchLimits.ts";

/** Runs one request of a batch with the rights of the batch's caller. */
export type RunPart = (
  request: ApiRequest,
  method: string,
  path: string,
  params: JsonObject,
) => Promise<ApiReply>;

/**
 * Many requests in one. Paths carry the server's own path (`/server/classes/A`); answers come in the
 * order of the requests, each `{success}` or `{error}`. The parts run side by side, so that their
 * writes share a commit.
 */
export function batchRoute(mountPath: string, run: RunPart, store: Store): ApiRoute {
  return {
    method: "POST",
    path: "/batch",
    retry: "write",
    async handle(request) {
      const { requests, transaction } = request.params;
      if (!Array.isArray(requests))
        throw new ProtocolError(ErrorCode.INVALID_JSON, "requests must be an array");
      if (requests.length > MAX_BATCH_REQUESTS) {
        throw new ProtocolError(
          ErrorCode.INVALID_JSON,
          `a batch takes ${MAX_BATCH_REQUESTS} requests at most`,
        );
      }
      const parts = requests.map((part) => parsePart(part, mountPath));
      if (request.auth.kind !== "master") assertBatchLimits(parts);
      const replies =
        transaction === true ? await runTogether(request, parts) : await runEach(request, parts);
      const answers = replies.map((reply) => `{"${reply.status < 300 ? "success" : "error"}":${reply.body}}`);
      return { status: 200, body: `[${answers.join()}]` };
    },
  };

  /** Each part by itself. One that was carried out before, by an attempt that was interrupted, is answered as it was then. */
  async function runEach(request: ApiRequest, parts: BatchedRequest[]): Promise<ApiReply[]> {
    const whole = request.memory?.request;
    const known = await whole?.parts();
    return startAll(parts, async (part, place) => {
      const before = known?.get(place);
      if (before) return before;
      const memory = whole && writeMemory(whole.part(place));
      const reply = await run({ ...request, memory }, part.method, part.path, part.params);
      if (!whole || !isDuplicate(reply)) return reply;
      // An attempt that was taken for interrupted has carried it out meanwhile.
      return (await whole.parts()).get(place) ?? reply;
    });
  }

  /** All parts or none: the error of one is the error of the batch. */
  async function runTogether(request: ApiRequest, parts: BatchedRequest[]): Promise<ApiReply[]> {
    const whole = request.memory?.request;
    const written: RepliedWrite[] = [];
    const together = new WriteTogether(
      { write: (writes) => store.write(whole ? [...writes, whole.remember(written)] : writes) },
      parts.length,
    );
    const replies = await startAll(parts, async (part, place) => {
      let joined = false;
      const memory = partMemory((reply) => {
        written[place] = reply;
      });
      const own: ApiRequest = {
        ...request,
        memory: whole && memory,
        transaction: {
          join: (writes) => {
            // What a part writes after its first write is its own affair, as a trigger's is.
            if (joined) return store.write(writes);
            joined = true;
            return together.join(writes);
          },
        },
      };
      const reply = await run(own, part.method, part.path, part.params);
      if (!joined && reply.status >= 300) together.fail(errorOf(reply));
      else if (!joined) {
        written[place] = { reply: { ...reply, isPart: true } };
        together.pass();
      }
      return reply;
    });
    const failed = replies.find((reply) => reply.status >= 300);
    if (failed) throw errorOf(failed);
    whole?.kept();
    return replies;
  }
}

/** How long requests of a batch are started in one go, in ms: nothing else is served meanwhile. */
const START_MS = 10;

/** Starts all requests side by side; where what they do at once takes long, others are served in between. */
async function startAll<T>(
  requests: readonly BatchedRequest[],
  start: (request: BatchedRequest, place: number) => Promise<T>,
): Promise<T[]> {
  const started: Promise<T>[] = [];
  let since = performance.now();
  for (const [place, request] of requests.entries()) {
    started.push(start(request, place));
    // Those before it get as far as they can without this loop's next step.
    await Promise.resolve();
    if (performance.now() - since > START_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    }
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

function parsePart(part: JsonValue, mountPath: string): BatchedRequest {
  if (!isJsonObject(part) || typeof part.method !== "string" || typeof part.path !== "string") {
    throw new ProtocolError(ErrorCode.INVALID_JSON, "each request of a batch has a method and a path");
  }
  const { method, body = {} } = part;
  if (part.path.length > MAX_BATCH_PATH_LENGTH) {
    throw new ProtocolError(
      ErrorCode.INVALID_JSON,
      `the path of a request takes ${MAX_BATCH_PATH_LENGTH} characters at most`,
    );
  }
  if (!isJsonObject(body))
    throw new ProtocolError(ErrorCode.INVALID_JSON, "the body of a request must be an object");
  const path = part.path.startsWith(`${mountPath}/`) ? part.path.slice(mountPath.length) : part.path;
  if (/^\/*batch\b/.test(path))
    throw new ProtocolError(ErrorCode.INVALID_JSON, "nested batch requests are not allowed");
  return { method, path, params: body };
}
