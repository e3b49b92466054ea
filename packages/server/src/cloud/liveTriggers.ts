import { isJsonObject, type JsonObject } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import type { Log } from "../observe/log.ts";
import type { LiveConnectionEvent, Task } from "./messages.ts";
import type { TriggerOptions } from "./triggers.ts";

/** What runs around live queries. Each rejects to refuse, and does nothing where nothing is registered. */
export interface LiveTriggers {
  has(trigger: "beforeConnect" | "beforeSubscribe" | "afterLiveQueryEvent", className?: string): boolean;
  connect(
    request: RequestContext,
    facts: { clients: number; subscriptions: number; sessionToken?: string },
  ): Promise<void>;
  /** Answers the query as it shall be. */
  subscribe(request: RequestContext, className: string, params: JsonObject): Promise<JsonObject>;
  /** Answers the event's `object` and `original` as they shall be sent; null to send nothing. */
  event(
    request: RequestContext,
    facts: Extract<Task, { kind: "liveEvent" }>["facts"],
  ): Promise<JsonObject | null | undefined>;
  /** Calls the `onLiveQueryEvent` handlers with what happens to a connection. Nothing waits for them, and nothing fails by them. */
  onConnectionEvent(facts: () => LiveConnectionEvent, from: Pick<RequestContext, "ip" | "requestId">): void;
}

/** Connection events that may wait for the cloud code; more are dropped. */
const MAX_PENDING_EVENTS = 1_000;

export function createLiveTriggers({ has, causeOf, run, log }: TriggerOptions & { log: Log }): LiveTriggers {
  let pendingEvents = 0;
  let isDropping = false;
  return {
    has: (trigger, className) => has(className === undefined ? trigger : `${trigger}.${className}`),
    async connect(request, facts) {
      if (!has("beforeConnect")) return;
      await run("beforeConnect", { kind: "connect", ...facts, cause: await causeOf(request) });
    },
    async subscribe(request, className, params) {
      if (!has(`beforeSubscribe.${className}`)) return params;
      const cause = await causeOf(request);
      const { value } = await run("beforeSubscribe", { kind: "subscribe", className, params, cause });
      return isJsonObject(value) ? value : params;
    },
    async event(request, facts) {
      const { className } = facts;
      if (!has(`afterLiveQueryEvent.${className}`)) return undefined;
      const cause = await causeOf(request);
      const { value } = await run("afterLiveQueryEvent", { kind: "liveEvent", className, facts, cause });
      return value === null || isJsonObject(value) ? value : undefined;
    },
    onConnectionEvent(facts, { ip, requestId }) {
      if (!has("onLiveQueryEvent")) return;
      if (pendingEvents >= MAX_PENDING_EVENTS) {
        if (!isDropping) log.warn("cloud code falls behind: events of live query connections are dropped");
        isDropping = true;
        return;
      }
      isDropping = false;
      pendingEvents += 1;
      const event = facts();
      const cause = {
        user: undefined,
        roles: [],
        master: event.useMasterKey,
        isReadOnly: false,
        installationId: event.installationId,
        context: {},
        ip,
        headers: {},
        requestId,
      };
      run("onLiveQueryEvent", { kind: "liveConnection", facts: event, cause })
        .catch((error: unknown) => log.warn("onLiveQueryEvent failed", { error: String(error) }))
        .finally(() => {
          pendingEvents -= 1;
        });
    },
  };
}
