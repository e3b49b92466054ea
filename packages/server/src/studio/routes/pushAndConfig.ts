import { fieldTypeOf, type JsonObject } from "@purse/protocol";
import type { GlobalConfigService } from "../../globalConfig/globalConfigService.ts";
import type { PushService } from "../../push/index.ts";
import type { ConfigHistory } from "../configHistory.ts";
import { objectParameter, optionalObjectParameter, stringParameter } from "../parameters.ts";
import { json, requireSignedIn, type StudioRequest, type StudioRoute } from "../route.ts";
import { listNewest, type RouteDependencies } from "./routeHelpers.ts";

export interface PushAndConfigDependencies extends RouteDependencies {
  history: ConfigHistory;
  push: Pick<PushService, "send">;
  globalConfig: GlobalConfigService;
}

/** Routes for push notifications and the config of applications. */
export function pushAndConfigRoutes(dependencies: PushAndConfigDependencies): StudioRoute[] {
  const { objects, history, push, globalConfig } = dependencies;
  return [
    { method: "GET", path: "/push/audience", needs: "readOnly", handle: audience },
    { method: "GET", path: "/push/history", needs: "readOnly", handle: pushHistory },
    { method: "POST", path: "/push", needs: "editor", handle: sendPush },
    { method: "POST", path: "/push/test", needs: "editor", handle: testPush },
    { method: "GET", path: "/config", needs: "readOnly", handle: config },
    { method: "PUT", path: "/config", needs: "editor", handle: changeConfig },
    {
      method: "GET",
      path: "/config/history",
      needs: "readOnly",
      handle: async () => json({ results: await history.list() }),
    },
    { method: "POST", path: "/config/rollback/:id", needs: "editor", handle: rollback },
  ];

  /** Counts the installations that a push would reach. */
  async function audience({ params, context }: StudioRequest) {
    const where = optionalObjectParameter(params, "where") ?? {};
    const reachable = { $and: [where, { deviceToken: { $exists: true } }] };
    const [total, reachableCount] = await Promise.all(
      [where, reachable].map(async (query): Promise<number> => {
        const text = await objects.find(context, "_Installation", { where: query, limit: 0, count: 1 });
        return JSON.parse(text).count ?? 0;
      }),
    );
    return json({ installations: total, reachable: reachableCount });
  }

  async function pushHistory(request: StudioRequest) {
    return json(await listNewest(dependencies, request, "_PushStatus", {}));
  }

  async function sendPush(request: StudioRequest) {
    const { where, channels, data, push_time, expiration_time, expiration_interval, title } = request.params;
    return send(request, { where, channels, data, push_time, expiration_time, expiration_interval, title });
  }

  async function testPush(request: StudioRequest) {
    const objectId = stringParameter(request.params, "installation");
    return send(request, { where: { objectId }, data: objectParameter(request.params, "data") });
  }

  async function send(request: StudioRequest, fields: Record<string, JsonObject[string] | undefined>) {
    const payload: JsonObject = {};
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) payload[name] = value;
    request.setAuditDetails({ after: payload });
    return json({ pushStatusId: await push.send(request.context, payload) }, 201);
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
    return json({ results });
  }

  async function changeConfig(request: StudioRequest) {
    const params = objectParameter(request.params, "params");
    const masterKeyOnly = optionalObjectParameter(request.params, "masterKeyOnly") ?? {};
    return saveConfig(request, params, masterKeyOnly);
  }

  /** Restores a version exactly: parameters that were added later are deleted. */
  async function rollback(request: StudioRequest) {
    const version = await history.get(request.pathParams.id ?? "");
    const now = await readConfig(request);
    const params: JsonObject = { ...version.params };
    for (const name of Object.keys(now.params)) {
      if (!Object.hasOwn(params, name)) params[name] = { __op: "Delete" };
    }
    return saveConfig(request, params, version.masterKeyOnly);
  }

  async function saveConfig(request: StudioRequest, params: JsonObject, masterKeyOnly: JsonObject) {
    const before = await readConfig(request);
    const previous = Object.fromEntries(
      Object.keys(params).map((name) => [name, before.params[name] ?? null]),
    );
    request.setAuditDetails({ before: previous, after: params });
    await globalConfig.change(request.context, { params, masterKeyOnly });
    await history.save(before, requireSignedIn(request).operator.username);
    return { result: true };
  }
}
