import type { Objects } from "../../data/objects/objects.ts";
import { type Requests, route, type StudioRoute } from "../../studio/route.ts";
import { listNewest } from "../../studio/routes/newestRows.ts";
import { streamEndpoints as endpoints } from "../../studioApi/streams.ts";
import type { ChainStreams } from "./chainStreams.ts";

type StreamRequests = Requests<typeof endpoints>;

export interface StreamAdminDependencies {
  objects: Objects;
  streams: Pick<ChainStreams, "service" | "history">;
}

/** Routes of the admin API for streams and their deliveries. */
export function streamAdminRoutes(dependencies: StreamAdminDependencies): StudioRoute[] {
  const { objects, streams } = dependencies;
  return [
    route(endpoints.streams, (request) => listNewest(dependencies, request, "_ChainStream", {})),
    route(endpoints.stream, stream),
    route(endpoints.streamDeliveries, deliveries),
    route(endpoints.setStreamStatus, setStatus),
    route(endpoints.retryStream, retry),
    route(endpoints.resendStreamDelivery, resend),
  ];

  async function stream({ context, pathParams: { objectId } }: StreamRequests["stream"]) {
    const row = JSON.parse(await objects.get(context, "_ChainStream", objectId, {}));
    const [{ total }, { queueSize }, failed] = await Promise.all([
      streams.service.listAddresses(objectId, { limit: 1 }),
      streams.history.stats(objectId),
      streams.history.failed({ limit: 1, streamId: objectId, excludePayload: true }),
    ]);
    return { stream: row, addresses: Number(total), waiting: queueSize, failed: failed.total };
  }

  /** Lists the deliveries of a stream, newest first. */
  async function deliveries(request: StreamRequests["streamDeliveries"]) {
    const { status } = request.params;
    const where = { source: request.pathParams.objectId, ...(status !== undefined && { status }) };
    return listNewest(dependencies, request, "_ChainStreamDelivery", where);
  }

  async function setStatus(request: StreamRequests["setStreamStatus"]) {
    const { status } = request.params;
    request.setAuditDetails({ target: request.pathParams.objectId, after: { status } });
    await streams.service.setStatus(request.pathParams.objectId, status);
    return {};
  }

  async function retry(request: StreamRequests["retryStream"]) {
    request.setAuditDetails({ target: request.pathParams.objectId });
    await streams.service.get(request.pathParams.objectId);
    return streams.history.retryAll(request.pathParams.objectId);
  }

  async function resend(request: StreamRequests["resendStreamDelivery"]) {
    const { objectId, deliveryId } = request.pathParams;
    request.setAuditDetails({ target: `${objectId} ${deliveryId}` });
    await streams.history.retry(objectId, deliveryId);
    return {};
  }
}
