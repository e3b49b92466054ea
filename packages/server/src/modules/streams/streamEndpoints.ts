import { z } from "zod";
import * as schemas from "./streamSchemas.ts";

/** A row of the table of the Streams API, from which its routes and its description come. */
export interface StreamEndpoint<Input extends z.ZodObject = z.ZodObject> {
  method: "GET" | "PUT" | "POST" | "DELETE";
  /** Below `/api/v2`, with named segments. */
  path: string;
  tag: string;
  summary: string;
  input: Input;
  response: z.ZodType;
}

const id = z.object({ id: z.string() });
const streamId = z.object({ streamId: z.string() });
const list = (result: z.ZodType) =>
  z.object({ result: z.array(result), cursor: z.string().optional(), total: z.int() });

export const STREAM_ENDPOINTS = {
  list: get("/streams/evm", "Streams", "Lists streams", schemas.pageInput, list(schemas.streamModel)),
  create: change(
    "PUT",
    "/streams/evm",
    "Creates a stream; its webhook has to respond to a test message with 2xx",
    schemas.streamInput,
    schemas.streamModel,
  ),
  read: get("/streams/evm/:id", "Streams", "Returns a stream", id, schemas.streamModel),
  update: change(
    "POST",
    "/streams/evm/:id",
    "Changes a stream",
    z.object({ ...schemas.streamChange.shape, ...id.shape }),
    schemas.streamModel,
  ),
  remove: change(
    "DELETE",
    "/streams/evm/:id",
    "Deletes a stream with its deliveries",
    id,
    schemas.streamModel,
  ),
  setStatus: change(
    "POST",
    "/streams/evm/:id/status",
    "Pauses or resumes a stream",
    id.extend({ status: schemas.streamStatus }),
    schemas.streamModel,
  ),
  addresses: get(
    "/streams/evm/:id/address",
    "Streams",
    "Lists the addresses of a stream",
    schemas.pageInput.extend(id.shape),
    list(z.object({ address: z.string() })),
  ),
  addAddresses: change(
    "POST",
    "/streams/evm/:id/address",
    "Adds addresses",
    schemas.addressInput.extend(id.shape),
    schemas.addressResult,
  ),
  removeAddresses: change(
    "DELETE",
    "/streams/evm/:id/address",
    "Removes addresses",
    schemas.addressInput.extend(id.shape),
    schemas.addressResult,
  ),
  replay: change(
    "POST",
    "/streams/evm/:id/replay",
    "Extension: matches past blocks again",
    schemas.replayInput.extend(id.shape),
    schemas.replayModel,
  ),
  readReplay: get(
    "/streams/evm/:id/replay/:replayId",
    "Streams",
    "Extension: returns the progress of a replay",
    id.extend({ replayId: z.string() }),
    schemas.replayModel,
  ),
  replayBlock: change(
    "POST",
    "/streams/evm/:chainId/block-to-webhook/:blockNumber/:streamId",
    "Matches one past block again",
    streamId.extend({ chainId: schemas.replayInput.shape.chainId, blockNumber: z.int().min(0) }),
    schemas.replayModel,
  ),
  retryAll: change(
    "POST",
    "/streams/evm/:id/retry",
    "Extension: sends all failed deliveries of a stream again",
    id,
    z.object({ retried: z.int() }),
  ),
  history: get(
    "/history",
    "History",
    "Lists failed deliveries",
    schemas.pageInput.extend({ excludePayload: z.boolean().optional(), streamId: z.string().optional() }),
    list(schemas.historyModel),
  ),
  logs: get(
    "/history/logs",
    "History",
    "Lists deliveries",
    schemas.pageInput.extend({
      streamId: z.string().optional(),
      deliveryStatus: schemas.deliveryLogModel.shape.deliveryStatus.optional(),
    }),
    list(schemas.deliveryLogModel),
  ),
  retry: change(
    "POST",
    "/history/replay/:streamId/:id",
    "Sends a delivery again",
    id.extend(streamId.shape),
    schemas.historyModel,
  ),
  settings: get(
    "/settings",
    "Settings",
    "Returns the settings of all streams",
    z.object({}),
    schemas.streamSettings,
  ),
  setSettings: change(
    "POST",
    "/settings",
    "Changes the settings of all streams",
    schemas.streamSettings,
    schemas.streamSettings,
  ),
  stats: get("/stats", "Stats", "Returns the counters of all streams", z.object({}), schemas.streamStats),
  streamStats: get(
    "/stats/:streamId",
    "Stats",
    "Returns the counters of a stream",
    streamId,
    schemas.streamStats,
  ),
};

function get<Input extends z.ZodObject>(
  path: string,
  tag: string,
  summary: string,
  input: Input,
  response: z.ZodType,
): StreamEndpoint<Input> {
  return { method: "GET", path, tag, summary, input, response };
}

function change<Input extends z.ZodObject>(
  method: "PUT" | "POST" | "DELETE",
  path: string,
  summary: string,
  input: Input,
  response: z.ZodType,
): StreamEndpoint<Input> {
  const tag = { history: "History", settings: "Settings" }[path.split("/")[1] ?? ""] ?? "Streams";
  return { method, path, tag, summary, input, response };
}
