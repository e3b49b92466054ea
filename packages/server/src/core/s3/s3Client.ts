import { pipeline, Readable, Transform } from "node:stream";
import { S3Client, S3ServiceException } from "@aws-sdk/client-s3";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { S3Config } from "./s3Config.ts";

/** In ms. */
export interface S3Timeouts {
  connect: number;
  /** From the start of a request until its response begins. */
  request: number;
  /** Of an idle connection. */
  idle: number;
}

/** S3 sends spaces while it copies or joins objects, so a silent connection is dead. */
const TIMEOUTS: S3Timeouts = { connect: 5_000, request: 120_000, idle: 15_000 };
/** Maximum number of connections: each download of a slow client occupies one. */
const MAX_SOCKETS = 1_000;
const noop = (): void => undefined;
const SILENT_LOGGER = { debug: noop, info: noop, warn: noop, error: noop };
/** Maximum size of a response other than file content, in bytes. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

/** Creates a client for S3 or a compatible server; credentials are taken from the environment. */
export function createS3Client(
  { region, endpoint, forcePathStyle }: S3Config,
  timeouts: S3Timeouts = TIMEOUTS,
): S3Client {
  const agent = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const client = new S3Client({
    region,
    forcePathStyle,
    ...(endpoint !== undefined && { endpoint }),
    // Servers other than Amazon's do not support the newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // Callers report errors; without a logger the client would write to the console.
    logger: SILENT_LOGGER,
    requestHandler: {
      connectionTimeout: timeouts.connect,
      requestTimeout: timeouts.request,
      throwOnRequestTimeout: true,
      socketTimeout: timeouts.idle,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
  // Runs below the step that buffers responses, so that none exhausts the memory.
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (input) => {
        const result = await next(input);
        const { response } = result;
        if (isResponse(response) && (commandName !== "GetObjectCommand" || response.statusCode >= 300)) {
          response.body = response.body && limitSize(response.body);
        }
        return result;
      },
    { step: "deserialize", priority: "low", name: "capAnswers" },
  );
  return client;
}

interface RawResponse {
  statusCode: number;
  body?: Readable | undefined;
}

function isResponse(value: unknown): value is RawResponse {
  if (typeof value !== "object" || value === null || !("statusCode" in value)) return false;
  return !("body" in value) || value.body === undefined || value.body instanceof Readable;
}

/** Fails if a response is too large. */
function limitSize(body: Readable): Readable {
  let size = 0;
  const limiter = new Transform({
    transform(chunk: Buffer, _, done) {
      size += chunk.length;
      if (size > MAX_RESPONSE_BYTES) done(new Error(`S3 returned more than ${MAX_RESPONSE_BYTES} bytes`));
      else done(null, chunk);
    },
  });
  return pipeline(body, limiter, () => undefined);
}

const CLOCK_ERRORS: ReadonlySet<string> = new Set(["RequestTimeTooSkewed", "RequestExpired"]);

/** Returns undefined if S3 has no such object. */
export async function undefinedIfMissing<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return undefined;
    throw error;
  }
}

/**
 * Whether a retry may succeed: S3 failed or was not reached, or the clock of this machine was changed, which the client
 * learns from the response. Other rejected requests will be rejected again.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof S3ServiceException && CLOCK_ERRORS.has(error.name)) return true;
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  return status === undefined || status === 408 || status === 429 || status >= 500;
}

/** The error that clients receive if S3 fails; the reason is in the log. */
export class FileStoreError extends ProtocolError {
  constructor(cause: unknown) {
    super(ErrorCode.CONNECTION_FAILED, "The file store is unavailable.", 503);
    this.cause = cause;
  }
}
