import type { JsonObject, JsonValue } from "@purse/protocol";
import type { z } from "zod";
import { parseInput } from "../../studioApi/parseInput.ts";
import type { ChainStreams } from "./chainStreams.ts";
import { STREAM_ENDPOINTS as ENDPOINTS, type StreamEndpoint } from "./streamEndpoints.ts";

/** A route of the Streams API. */
export interface StreamRoute {
  method: StreamEndpoint["method"];
  /** Below `/api/v2`, with named segments. */
  path: string;
  /** Rejects with ProtocolError. */
  run(params: JsonObject): Promise<JsonValue>;
}

/** Returns the routes of the Streams API. */
export function streamRoutes({
  service,
  history,
  settings,
}: Pick<ChainStreams, "service" | "history" | "settings">): StreamRoute[] {
  return [
    route(ENDPOINTS.list, (page) => service.list(page)),
    route(ENDPOINTS.create, (input) => service.create(asJson(input))),
    route(ENDPOINTS.read, (params) => service.get(params.id)),
    route(ENDPOINTS.update, ({ id: stream, ...changes }) => service.update(stream, asJson(changes))),
    route(ENDPOINTS.remove, (params) => service.remove(params.id)),
    route(ENDPOINTS.setStatus, (params) => service.setStatus(params.id, params.status)),
    route(ENDPOINTS.addresses, ({ id: stream, ...page }) => service.listAddresses(stream, page)),
    route(ENDPOINTS.addAddresses, (params) => service.addAddresses(params.id, params.address)),
    route(ENDPOINTS.removeAddresses, (params) => service.removeAddresses(params.id, params.address)),
    route(ENDPOINTS.replay, ({ id: stream, ...range }) => service.replay(stream, range)),
    route(ENDPOINTS.readReplay, (params) => service.getReplay(params.id, params.replayId)),
    route(ENDPOINTS.replayBlock, ({ streamId: stream, chainId, blockNumber }) =>
      service.replay(stream, { chainId, fromBlock: blockNumber, toBlock: blockNumber }),
    ),
    route(ENDPOINTS.retryAll, async (params) => {
      await service.get(params.id);
      return history.retryAll(params.id);
    }),
    route(ENDPOINTS.history, (page) => history.failed(page)),
    route(ENDPOINTS.logs, (page) => history.logs(page)),
    route(ENDPOINTS.retry, (params) => history.retry(params.streamId, params.id)),
    route(ENDPOINTS.settings, () => settings.read()),
    route(ENDPOINTS.setSettings, ({ region }) => settings.save(region)),
    route(ENDPOINTS.stats, () => history.stats(undefined)),
    route(ENDPOINTS.streamStats, (params) => history.stats(params.streamId)),
  ];
}

function route<Input extends z.ZodObject>(
  { method, path, input }: StreamEndpoint<Input>,
  run: (params: z.output<Input>) => Promise<JsonValue | object>,
): StreamRoute {
  return { method, path, run: async (params) => asJson(await run(parseInput(input, params))) };
}

/** JSON without what JSON leaves out. */
function asJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value));
}
