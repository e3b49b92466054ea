import {
  compileMatcher,
  isJsonObject,
  type JsonObject,
  parseWhere,
  type StudioLiveEvent,
} from "@purse/protocol";
import type { RequestContext } from "../../authContext.ts";
import type { Reads } from "../../objects/read.ts";
import type { ChangeFeed } from "../../realtime/changeFeed.ts";
import { compileRegex } from "../../store/regex.ts";
import { eventStream } from "../eventStream.ts";
import { optionalObjectIn } from "../parameters.ts";
import type { StudioRequest, StudioRoute } from "../route.ts";

export interface LiveRowsParts {
  /** The feed that live queries are told by. */
  feed: ChangeFeed;
  presenter: Reads["presenter"];
  classIn(request: StudioRequest): string;
}

/** How often it is said again that a class is followed, in ms: feeds forget what nobody asks for. */
const FOLLOW_AGAIN_MS = 60_000;

/** Rows as they change, told by the feed and the matcher of live queries. */
export function liveRowsRoute({ feed, presenter, classIn }: LiveRowsParts): StudioRoute {
  return {
    method: "GET",
    path: "/data/:className/live",
    needs: "readOnly",
    async handle(request) {
      const className = classIn(request);
      const where = parseWhere(optionalObjectIn(request.params, "where") ?? {});
      const matches = compileMatcher(where, { regex: compileRegex });
      return eventStream(request, async (tell) => {
        let told = Promise.resolve();
        const stop = feed.onChange((change) => {
          if (change === className || (typeof change === "object" && "kind" in change)) {
            return tell("refetch", {});
          }
          if (typeof change === "string" || change.className !== className) return;
          const event = eventOf(objectOf(change.before), objectOf(change.after), matches);
          if (!event) return;
          // One after the other: showing an object may take longer than showing the next.
          told = told.then(async () => tell(event.event, { ...event, object: await shown(event.object) }));
        });
        await feed.subscribe(className);
        // What happens from now on is told.
        tell("connected", {});
        const again = setInterval(() => {
          feed.subscribe(className).catch(() => tell("refetch", {}));
        }, FOLLOW_AGAIN_MS);
        return () => {
          clearInterval(again);
          stop();
        };

        async function shown(object: JsonObject): Promise<JsonObject> {
          const context: RequestContext = request.context;
          return presenter(className)?.(object, context) ?? object;
        }
      });
    },
  };
}

function objectOf(text: string | null): JsonObject | undefined {
  const value: unknown = text === null ? undefined : JSON.parse(text);
  return isJsonObject(value) ? value : undefined;
}

function eventOf(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  matches: (object: JsonObject) => boolean,
): StudioLiveEvent | undefined {
  const matched = before !== undefined && matches(before);
  if (!after) return matched ? { event: "delete", object: before } : undefined;
  if (matches(after)) return { event: before ? (matched ? "update" : "enter") : "create", object: after };
  return matched ? { event: "leave", object: after } : undefined;
}
