import { pipeline, Readable, Transform } from "node:stream";
import { S3Client, S3ServiceException } from "@aws-sdk/client-s3";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { FilesStoreConfig } from "../config/fileUpload.ts";

export type S3Config = Extract<FilesStoreConfig, { kind: "s3" }>;

/** In ms. */
export interface S3Timeouts {
  connect: number;
  /** Of a request with its body, until the answer begins. */
  request: number;
  /** Of a connection on which nothing moves. */
  idle: number;
}

const TIMEOUTS: S3Timeouts = { connect: 5_000, request: 120_000, idle: 60_000 };
/** Connections at most: each download that a client reads slowly keeps one. */
const MAX_SOCKETS = 1_000;
const nothing = (): void => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };
/** Largest answer that is no content of a file, in bytes. */
const MAX_ANSWER = 8 * 1024 * 1024;

/** A client of S3, or of a server that speaks as it does; credentials are taken from the environment. */
export function createS3Client(
  { region, endpoint, forcePathStyle }: S3Config,
  timeouts: S3Timeouts = TIMEOUTS,
): S3Client {
  const agent = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const client = new S3Client({
    region,
    forcePathStyle,
    ...(endpoint !== undefined && { endpoint }),
    // Other servers than Amazon's do not know the newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // Whoever calls says what failed; without a logger the client writes to the console.
    logger: SILENT,
    requestHandler: {
      connectionTimeout: timeouts.connect,
      requestTimeout: timeouts.request,
      throwOnRequestTimeout: true,
      socketTimeout: timeouts.idle,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
  // Below the step that reads answers whole, so that none fills the memory.
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (given) => {
        const result = await next(given);
        const { response } = result;
        if (isResponse(response) && (commandName !== "GetObjectCommand" || response.statusCode >= 300)) {
          response.body = response.body && capped(response.body);
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

/** Fails where more comes than an answer needs. */
function capped(body: Readable): Readable {
  let size = 0;
  const cap = new Transform({
    transform(chunk: Buffer, _, done) {
      size += chunk.length;
      if (size > MAX_ANSWER) done(new Error(`S3 answers more than ${MAX_ANSWER} bytes`));
      else done(null, chunk);
    },
  });
  return pipeline(body, cap, () => undefined);
}

/** Undefined where S3 has no such object. */
export async function orAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return undefined;
    throw error;
  }
}

/** Whether another attempt may succeed: S3 failed or was not reached; what it refuses it refuses again. */
export function isTransient(error: unknown): boolean {
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  return status === undefined || status === 408 || status === 429 || status >= 500;
}

/** What clients are answered where S3 fails; the reason is in the log. */
export class FileStoreError extends ProtocolError {
  constructor(cause: unknown) {
    super(ErrorCode.CONNECTION_FAILED, "The file store cannot be reached now.", 503);
    this.cause = cause;
  }
}
