import { compileMatcher, isJsonObject, type JsonObject, parseWhere } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import { compileRegex } from "../../core/regex.ts";
import type { Reads } from "../../data/objects/read.ts";
import type { ChangeFeed } from "../../realtime/changeFeed.ts";
import { dataEndpoints, type StudioLiveEvent } from "../../studioApi/data.ts";
import { eventStream } from "../eventStream.ts";
import { route, type StudioRequest, type StudioRoute } from "../route.ts";

export interface LiveRowsDependencies {
  /** The change feed of live queries. */
  feed: ChangeFeed;
  serializer: Reads["serializer"];
  requireClass(request: ClassRequest): string;
}

/** A request for a class. */
export type ClassRequest = StudioRequest<unknown, { className: string }>;

/** Interval for renewing the subscription to a class, in ms, before the feed expires it. */
const RENEW_INTERVAL_MS = 60_000;

/** Route for live changes of rows, using the feed and the matcher of live queries. */
export function liveRowsRoute({ feed, serializer, requireClass }: LiveRowsDependencies): StudioRoute {
  return route(dataEndpoints.live, async (request) => {
    const className = requireClass(request);
    const where = parseWhere(request.params.where ?? {});
    const matches = compileMatcher(where, { regex: compileRegex });
    return eventStream(request, async (send) => {
      let delivery = Promise.resolve();
      const unsubscribe = feed.onChange((change) => {
        if (change === className || (typeof change === "object" && "kind" in change)) {
          return send("refetch", {});
        }
        if (typeof change === "string" || change.className !== className) return;
        const event = toLiveEvent(parseObject(change.before), parseObject(change.after), matches);
        if (!event) return;
        // Events are sent in order, although serializing one object may take longer than the next.
        delivery = delivery.then(async () =>
          send(event.event, { ...event, object: await serialize(event.object) }),
        );
      });
      await feed.subscribe(className);
      // All later changes will be sent.
      send("connected", {});
      const renewTimer = setInterval(() => {
        feed.subscribe(className).catch(() => send("refetch", {}));
      }, RENEW_INTERVAL_MS);
      return () => {
        clearInterval(renewTimer);
        unsubscribe();
      };

      async function serialize(object: JsonObject): Promise<JsonObject> {
        const context: RequestContext = request.context;
        return serializer(className)?.(object, context) ?? object;
      }
    });
  });
}

function parseObject(text: string | null): JsonObject | undefined {
  const value: unknown = text === null ? undefined : JSON.parse(text);
  return isJsonObject(value) ? value : undefined;
}

function toLiveEvent(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  matches: (object: JsonObject) => boolean,
): StudioLiveEvent | undefined {
  const matched = before !== undefined && matches(before);
  if (!after) return matched ? { event: "delete", object: before } : undefined;
  if (matches(after)) return { event: before ? (matched ? "update" : "enter") : "create", object: after };
  return matched ? { event: "leave", object: after } : undefined;
}
