import { fieldTypeOf, type JsonObject } from "@purse/protocol";
import {
  type Requests,
  requireSignedIn,
  route,
  type StudioRequest,
  type StudioRoute,
} from "../../studio/route.ts";
import { configEndpoints as endpoints } from "../../studioApi/globalConfig.ts";
import type { ConfigHistory } from "./configHistory.ts";
import type { GlobalConfigService } from "./globalConfigService.ts";

/** Routes of the admin API for the config of applications. */
export function configAdminRoutes(service: GlobalConfigService, history: ConfigHistory): StudioRoute[] {
  return [
    route(endpoints.config, config),
    route(endpoints.changeConfig, (request) => saveConfig(request, request.params)),
    route(endpoints.configHistory, async () => ({ results: await history.list() })),
    route(endpoints.rollback, rollback),
  ];

  async function readConfig({ context }: StudioRequest) {
    const { params, masterKeyOnly = {} } = await service.read(context);
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
  async function rollback(request: Requests<typeof endpoints>["rollback"]) {
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
    const { username } = requireSignedIn(request).operator;
    await service.change(request.context, { params, masterKeyOnly }, username);
    return { result: true };
  }
}
