import { fieldTypeOf, isJsonObject, type JsonObject } from "@purse/protocol";
import type { ConfigHistory } from "../configHistory.ts";
import { objectIn, optionalObjectIn, textIn } from "../parameters.ts";
import { json, type StudioRequest, type StudioRoute, signedInAs } from "../route.ts";
import { ask, newest, type PipelineParts } from "./pipeline.ts";

export interface MessageParts extends PipelineParts {
  history: ConfigHistory;
}

/** Pushes, and the settings that apps read. */
export function messageRoutes(parts: MessageParts): StudioRoute[] {
  const { objects, history } = parts;
  return [
    { method: "GET", path: "/push/audience", needs: "readOnly", handle: audience },
    { method: "GET", path: "/push/history", needs: "readOnly", handle: pushHistory },
    { method: "POST", path: "/push", needs: "editor", handle: push },
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

  /** How many installations a push would go to, by type of device. */
  async function audience({ params, context }: StudioRequest) {
    const where = optionalObjectIn(params, "where") ?? {};
    const reachable = { $and: [where, { deviceToken: { $exists: true } }] };
    const [all, withToken] = await Promise.all(
      [where, reachable].map(async (asked): Promise<number> => {
        const text = await objects.find(context, "_Installation", { where: asked, limit: 0, count: 1 });
        return JSON.parse(text).count ?? 0;
      }),
    );
    return json({ installations: all, reachable: withToken });
  }

  async function pushHistory(request: StudioRequest) {
    return json(await newest(parts, request, "_PushStatus", {}));
  }

  async function push(request: StudioRequest) {
    const { where, channels, data, push_time, expiration_time, expiration_interval, title } = request.params;
    return send(request, { where, channels, data, push_time, expiration_time, expiration_interval, title });
  }

  async function testPush(request: StudioRequest) {
    const objectId = textIn(request.params, "installation");
    return send(request, { where: { objectId }, data: objectIn(request.params, "data") });
  }

  async function send(request: StudioRequest, order: Record<string, JsonObject[string] | undefined>) {
    const given: JsonObject = {};
    for (const [name, value] of Object.entries(order)) if (value !== undefined) given[name] = value;
    request.note({ after: given });
    const { headers } = await ask(parts, request, "POST", "/push", given);
    return json({ pushStatusId: headers["X-Parse-Push-Status-Id"] ?? "" }, 201);
  }

  async function read(request: StudioRequest): Promise<{ params: JsonObject; masterKeyOnly: JsonObject }> {
    const { value } = await ask(parts, request, "GET", "/config");
    const { params, masterKeyOnly } = isJsonObject(value) ? value : {};
    return {
      params: isJsonObject(params) ? params : {},
      masterKeyOnly: isJsonObject(masterKeyOnly) ? masterKeyOnly : {},
    };
  }

  async function config(request: StudioRequest) {
    const { params, masterKeyOnly } = await read(request);
    const results = Object.entries(params).map(([name, value]) => ({
      name,
      value,
      type: fieldTypeOf(value)?.type ?? "Object",
      isMasterKeyOnly: masterKeyOnly[name] === true,
    }));
    return json({ results });
  }

  async function changeConfig(request: StudioRequest) {
    const params = objectIn(request.params, "params");
    const masterKeyOnly = optionalObjectIn(request.params, "masterKeyOnly") ?? {};
    return put(request, params, masterKeyOnly);
  }

  /** Everything as it was in a version: what has come since goes. */
  async function rollback(request: StudioRequest) {
    const version = await history.get(request.names.id ?? "");
    const now = await read(request);
    const params: JsonObject = { ...version.params };
    for (const name of Object.keys(now.params)) {
      if (!Object.hasOwn(params, name)) params[name] = { __op: "Delete" };
    }
    return put(request, params, version.masterKeyOnly);
  }

  async function put(request: StudioRequest, params: JsonObject, masterKeyOnly: JsonObject) {
    const before = await read(request);
    const was = Object.fromEntries(Object.keys(params).map((name) => [name, before.params[name] ?? null]));
    request.note({ before: was, after: params });
    const { value } = await ask(parts, request, "PUT", "/config", { params, masterKeyOnly });
    await history.keep(before, signedInAs(request).operator.username);
    return value;
  }
}
