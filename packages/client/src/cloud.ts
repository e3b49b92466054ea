import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import { decode } from "./object/decode.ts";
import { encode, encodeFields, rejectObject } from "./object/encode.ts";
import { ParseObject } from "./object/ParseObject.ts";
import { pathOf } from "./pathOf.ts";
import { invalidResponse, type RequestOptions, request, requestObject } from "./transport.ts";

/** Functions and jobs that run on the server. */
export const Cloud = {
  run,
  startJob,
  getJobsData,
  getJobStatus,
  /** Does nothing: pass `{ useMasterKey: true }` to the call that needs it. */
  useMasterKey(): void {},
};

/**
 * Calls a cloud function and returns its result, or undefined without one. Dates, files and GeoPoints are
 * sent as typed values; ParseObjects are rejected, send their ids instead.
 */
async function run<R = unknown>(name: string, params: object = {}, options: RequestOptions = {}): Promise<R> {
  if (typeof name !== "string" || name.length === 0) {
    throw new ProtocolError(ErrorCode.OTHER_CAUSE, "Cloud function name must be a string.");
  }
  const payload = encodeFields(params, { object: rejectObject });
  const { body } = await request("POST", pathOf("functions", name), payload, options);
  // The result type is known to the author of the function: the caller asserts R.
  return resultOf(body) as R;
}

function resultOf(body: unknown): unknown {
  if (!isJsonObject(body)) throw invalidResponse();
  if ("result" in body) return decode(body.result);
  if (Object.keys(body).length === 0) return undefined;
  throw invalidResponse();
}

/** Starts a job and returns the id of its job status. Needs the master key. */
async function startJob(name: string, params: object = {}): Promise<string> {
  if (typeof name !== "string" || name.length === 0) {
    throw new ProtocolError(ErrorCode.OTHER_CAUSE, "Cloud job name must be a string.");
  }
  const payload = encodeFields(params, { object: rejectObject });
  const { headers } = await request("POST", pathOf("jobs", name), payload, { useMasterKey: true });
  const id = headers.get("x-parse-job-status-id");
  if (id) return id;
  throw invalidResponse();
}

/** Lists the jobs of the server. Needs the master key. */
function getJobsData(): Promise<JsonObject> {
  return requestObject("GET", "cloud_code/jobs/data", {}, { useMasterKey: true });
}

/** Returns the status of a started job. Needs the master key. Throws 101 if there is none. */
async function getJobStatus(jobStatusId: string): Promise<ParseObject> {
  const payload = { where: { objectId: encode(jobStatusId) }, limit: 1 };
  const body = await requestObject("GET", "classes/_JobStatus", payload, { useMasterKey: true });
  const record = Array.isArray(body.results) ? body.results[0] : undefined;
  if (!isJsonObject(record)) throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
  return ParseObject.fromJSON({ ...record, className: "_JobStatus" });
}
