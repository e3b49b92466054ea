import { isJsonObject } from "@purse/protocol";
import type { Logger } from "../core/logger.ts";
import type { LiveTriggers } from "../data/objects/liveTriggers.ts";
import type { TriggerOptions } from "./triggers.ts";

/** Connection events that may wait for the cloud code; further ones are dropped. */
const MAX_PENDING_EVENTS = 1_000;

export function createLiveTriggers({
  hasHandler,
  callContextOf,
  run,
  logger,
}: TriggerOptions & { logger: Logger }): LiveTriggers {
  let pendingEvents = 0;
  let isDropping = false;
  return {
    hasHandler: (trigger, className) =>
      hasHandler(className === undefined ? trigger : `${trigger}.${className}`),
    async connect(request, connection) {
      if (!hasHandler("beforeConnect")) return;
      await run("beforeConnect", {
        kind: "connect",
        ...connection,
        callContext: await callContextOf(request),
      });
    },
    async subscribe(request, className, params, requestId) {
      if (!hasHandler(`beforeSubscribe.${className}`)) return params;
      const callContext = await callContextOf(request);
      const { value } = await run("beforeSubscribe", {
        kind: "subscribe",
        className,
        params,
        requestId,
        callContext,
      });
      return isJsonObject(value) ? value : params;
    },
    async event(request, event) {
      const { className } = event;
      if (!hasHandler(`afterLiveQueryEvent.${className}`)) return undefined;
      const callContext = await callContextOf(request);
      const { value } = await run("afterLiveQueryEvent", {
        kind: "liveEvent",
        className,
        event,
        callContext,
      });
      return value === null || isJsonObject(value) ? value : undefined;
    },
    onConnectionEvent(createEvent, { ip, requestId }) {
      if (!hasHandler("onLiveQueryEvent")) return;
      if (pendingEvents >= MAX_PENDING_EVENTS) {
        if (!isDropping) logger.warn("cloud code falls behind: events of live query connections are dropped");
        isDropping = true;
        return;
      }
      isDropping = false;
      pendingEvents += 1;
      const event = createEvent();
      const callContext = {
        user: undefined,
        roles: [],
        master: event.useMasterKey,
        isReadOnly: false,
        installationId: event.installationId,
        context: {},
        ip,
        headers: {},
        requestId,
        client: undefined,
      };
      run("onLiveQueryEvent", { kind: "liveConnection", event: event, callContext })
        .catch((error: unknown) => logger.warn("onLiveQueryEvent failed", { error: String(error) }))
        .finally(() => {
          pendingEvents -= 1;
        });
    },
  };
}
