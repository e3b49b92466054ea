import { defineModule, setting } from "@purse/kernel";
import { CLOCK, LOG, OBJECTS, SCHEMAS, STORE } from "../../module/tokens.ts";
import { createApns } from "./apns.ts";
import { audienceRules } from "./audiences.ts";
import { createFcm } from "./fcm.ts";
import type { PushSender } from "./pushSender.ts";
import { createPushService } from "./pushService.ts";
import { pushStatusRules } from "./pushStatus.ts";
import { type PushConfig, type PushInput, pushSchema } from "./settings.ts";
import { PUSH } from "./token.ts";
import { createWebPush } from "./webPush.ts";

/** Push notifications: sending them to installations, saved audiences, and the results of pushes. */
export const push = defineModule({
  name: "push",
  provides: PUSH,
  needs: { objects: OBJECTS, schemas: SCHEMAS, store: STORE, clock: CLOCK, log: LOG },
  settings: {
    push: setting(pushSchema, {
      group: "Push notifications",
      env: null,
      description:
        "Push services: webPush { subject, publicKey, privateKey, services }, fcm { serviceAccount }, apns { keyId, teamId, privateKey, topic, production }.",
    }),
  },
  classes: ({ facts }) => [audienceRules(facts), pushStatusRules],
  open({ settings, facts, objects, schemas, store, clock, log }) {
    const { webPush } = settings.push;
    const service = createPushService({
      store,
      schemaOf: (className) => schemas.require(className),
      objects,
      senders: createSenders(settings.push),
      logger: log,
      now: clock,
    });
    return {
      service,
      routes: service.routes,
      async adminRoutes() {
        const { pushAdminRoutes } = await import("./adminRoutes.ts");
        return pushAdminRoutes({ objects, push: service });
      },
      appConfig: { webPush: webPush ? { publicKey: webPush.publicKey } : null },
      // Requests may start pushes in processes that do not send scheduled ones.
      start: () => facts.roles.includes("worker") && service.start(),
      stop: () => service.stop(),
    };
  },
});

/** Creates a sender for each configured push service. */
function createSenders({ webPush, fcm, apns }: PushConfig): PushSender[] {
  return [
    ...(webPush ? [createWebPush(webPush)] : []),
    ...(fcm ? [createFcm(fcm)] : []),
    ...(apns ? [createApns(apns)] : []),
  ];
}

declare module "@purse/kernel" {
  interface ModuleInputs {
    push?: PushInput;
  }
}
