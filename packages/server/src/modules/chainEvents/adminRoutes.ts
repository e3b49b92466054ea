import type { Objects } from "../../data/objects/objects.ts";
import { type Requests, route, type StudioRoute } from "../../studio/route.ts";
import { listNewest } from "../../studio/routes/newestRows.ts";
import { deliveryEndpoints as endpoints } from "../../studioApi/deliveries.ts";

type DeliveryRequests = Requests<typeof endpoints>;

/** Routes of the admin API for deliveries of chain events. */
export function deliveryAdminRoutes(objects: Objects): StudioRoute[] {
  return [route(endpoints.deliveries, deliveries), route(endpoints.redeliver, redeliver)];

  /** Lists webhook deliveries of chain events, which are kept for a week after they succeeded. */
  async function deliveries(request: DeliveryRequests["deliveries"]) {
    const { status } = request.params;
    return listNewest({ objects }, request, "_ChainMessage", status === undefined ? {} : { status });
  }

  /** Retries a failed delivery, or repeats a successful one. */
  async function redeliver(request: DeliveryRequests["redeliver"]) {
    const { objectId } = request.pathParams;
    await objects.update(request.context, "_ChainMessage", objectId, { status: "waiting" });
    return {};
  }
}
