import type { JsonObject } from "@purse/protocol";
import type { Objects } from "../../data/objects/objects.ts";
import { type Requests, route, type StudioRequest, type StudioRoute } from "../../studio/route.ts";
import { listNewest } from "../../studio/routes/newestRows.ts";
import { pushEndpoints as endpoints } from "../../studioApi/push.ts";
import type { Push } from "./token.ts";

export interface PushAdminDependencies {
  objects: Objects;
  push: Pick<Push, "send">;
}

/** Routes of the admin API for push notifications. */
export function pushAdminRoutes(dependencies: PushAdminDependencies): StudioRoute[] {
  const { objects, push } = dependencies;
  return [
    route(endpoints.audience, audience),
    route(endpoints.pushHistory, (request) => listNewest(dependencies, request, "_PushStatus", {})),
    route(endpoints.push, (request) => send(request, request.params)),
    route(endpoints.testPush, testPush),
  ];

  /** Counts the installations that a push would reach. */
  async function audience({
    params: { where = {} },
    context,
  }: Requests<typeof endpoints>["audience"]): Promise<{ installations: number; reachable: number }> {
    const isReachable = { $and: [where, { deviceToken: { $exists: true } }] };
    const [installations = 0, reachable = 0] = await Promise.all(
      [where, isReachable].map(async (query): Promise<number> => {
        const text = await objects.find(context, "_Installation", { where: query, limit: 0, count: 1 });
        return JSON.parse(text).count ?? 0;
      }),
    );
    return { installations, reachable };
  }

  async function testPush(request: Requests<typeof endpoints>["testPush"]) {
    const { installation: objectId, data } = request.params;
    return send(request, { where: { objectId }, data });
  }

  async function send(request: StudioRequest, fields: Record<string, JsonObject[string] | undefined>) {
    const payload: JsonObject = {};
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) payload[name] = value;
    request.setAuditDetails({ after: payload });
    return { pushStatusId: await push.send(request.context, payload) };
  }
}
