import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { newest, nothing, page, row, text } from "./fields.ts";

/** A stream with its figures that are counted on request. */
const studioStream = z
  .object({
    stream: row,
    addresses: z.int(),
    waiting: z.int().describe("Deliveries that have not been sent"),
    failed: z.int().describe("Deliveries that are not retried any more"),
  })
  .meta({ id: "StudioStream" });

export const streamEndpoints = {
  streams: endpoint("GET", "/streams", {
    needs: "readOnly",
    summary: "Rows of `_ChainStream`",
    input: z.object(newest),
    response: page(row),
  }),
  stream: endpoint("GET", "/streams/:objectId", {
    needs: "readOnly",
    summary: "A stream with its numbers of addresses and deliveries",
    input: nothing,
    response: studioStream,
  }),
  streamDeliveries: endpoint("GET", "/streams/:objectId/deliveries", {
    needs: "readOnly",
    summary: "Deliveries of a stream (`_ChainStreamDelivery`), kept for a week after they succeeded",
    input: z.object({ status: text().optional(), ...newest }),
    response: page(row),
  }),
  setStreamStatus: endpoint("POST", "/streams/:objectId/status", {
    needs: "editor",
    summary: "Pauses or resumes a stream; a paused stream misses blocks",
    input: z.object({ status: z.enum(["active", "paused"]) }),
    response: nothing,
  }),
  retryStream: endpoint("POST", "/streams/:objectId/retry", {
    needs: "editor",
    summary: "Sends all failed deliveries again",
    input: nothing,
    response: z.object({ retried: z.int() }),
  }),
  resendStreamDelivery: endpoint("POST", "/streams/:objectId/deliveries/:deliveryId/send", {
    needs: "editor",
    summary: "Sends the delivery again",
    input: nothing,
    response: nothing,
  }),
};
