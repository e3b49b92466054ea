import { fieldTypeOf, type JsonObject } from "@purse/protocol";
import type { GlobalConfigService } from "../../globalConfig/globalConfigService.ts";
import type { PushService } from "../../push/index.ts";
import { pushAndConfigEndpoints as endpoints } from "../../studioApi/pushAndConfig.ts";
import type { ConfigHistory } from "../configHistory.ts";
import { type Requests, requireSignedIn, route, type StudioRequest, type StudioRoute } from "../route.ts";
import { listNewest } from "./newestRows.ts";
import type { RouteDependencies } from "./routeContext.ts";

type PushAndConfigRequests = Requests<typeof endpoints>;

export interface PushAndConfigDependencies extends RouteDependencies {
  history: ConfigHistory;
  push: Pick<PushService, "send">;
  globalConfig: GlobalConfigService;
}

/** Routes for push notifications and the config of applications. */
export function pushAndConfigRoutes(dependencies: PushAndConfigDependencies): StudioRoute[] {
  const { objects, history, push, globalConfig } = dependencies;
  return [
    route(endpoints.audience, audience),
    route(endpoints.pushHistory, (request) => listNewest(dependencies, request, "_PushStatus", {})),
    route(endpoints.push, (request) => send(request, request.params)),
    route(endpoints.testPush, testPush),
    route(endpoints.config, config),
    route(endpoints.changeConfig, (request) => saveConfig(request, request.params)),
    route(endpoints.configHistory, async () => ({ results: await history.list() })),
    route(endpoints.rollback, rollback),
  ];

  /** Counts the installations that a push would reach. */
  async function audience({ params: { where = {} }, context }: PushAndConfigRequests["audience"]) {
    const reachable = { $and: [where, { deviceToken: { $exists: true } }] };
    const [total, reachableCount] = await Promise.all(
      [where, reachable].map(async (query): Promise<number> => {
        const text = await objects.find(context, "_Installation", { where: query, limit: 0, count: 1 });
        return JSON.parse(text).count ?? 0;
      }),
    );
    return { installations: total ?? 0, reachable: reachableCount ?? 0 };
  }

  async function testPush(request: PushAndConfigRequests["testPush"]) {
    const { installation: objectId, data } = request.params;
    return send(request, { where: { objectId }, data });
  }

  async function send(request: StudioRequest, fields: Record<string, JsonObject[string] | undefined>) {
    const payload: JsonObject = {};
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) payload[name] = value;
    request.setAuditDetails({ after: payload });
    return { pushStatusId: await push.send(request.context, payload) };
  }

  async function readConfig({ context }: StudioRequest) {
    const { params, masterKeyOnly = {} } = await globalConfig.read(context);
    return { params, masterKeyOnly };
  }

  async function config(request: StudioRequest) {
    const { params, masterKeyOnly } = await readConfig(request);
    const results = Object.entries(params).map(([name, value]) => ({
      name,
      value,
      type: fieldTypeOf(value)?.type ?? "Object",
      isMasterKeyOnly: masterKeyOnly[name] === true,
    }));
    return { results };
  }

  /** Restores a version exactly: parameters that were added later are deleted. */
  async function rollback(request: PushAndConfigRequests["rollback"]) {
    const version = await history.get(request.pathParams.id);
    const now = await readConfig(request);
    const params: JsonObject = { ...version.params };
    for (const name of Object.keys(now.params)) {
      if (!Object.hasOwn(params, name)) params[name] = { __op: "Delete" };
    }
    return saveConfig(request, { params, masterKeyOnly: version.masterKeyOnly });
  }

  async function saveConfig(
    request: StudioRequest,
    { params, masterKeyOnly = {} }: { params: JsonObject; masterKeyOnly?: JsonObject | undefined },
  ): Promise<{ result: true }> {
    const before = await readConfig(request);
    const previous = Object.fromEntries(
      Object.keys(params).map((name) => [name, before.params[name] ?? null]),
    );
    request.setAuditDetails({ before: previous, after: params });
    await globalConfig.change(request.context, { params, masterKeyOnly });
    const { username } = requireSignedIn(request).operator;
    await history.save(before, await readConfig(request), Object.keys(params), username);
    return { result: true };
  }
}
