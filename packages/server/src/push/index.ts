import type { Config } from "../config/loadConfig.ts";
import type { PushConfig } from "../config/push.ts";
import type { ClassRules } from "../data/objects/classRules.ts";
import { createApns } from "./apns.ts";
import { audienceRules } from "./audiences.ts";
import { createFcm } from "./fcm.ts";
import type { PushSender } from "./pushSender.ts";
import { pushStatusRules } from "./pushStatus.ts";
import { createWebPush } from "./webPush.ts";

export { createPushService, type PushService } from "./pushService.ts";

/** Rules of the classes for push messages. */
export function pushRules(config: Pick<Config, "compatibility">): readonly ClassRules[] {
  return [audienceRules(config), pushStatusRules];
}

/** Creates a sender for each configured push service. */
export function createSenders({ webPush, fcm, apns }: PushConfig): PushSender[] {
  return [
    ...(webPush ? [createWebPush(webPush)] : []),
    ...(fcm ? [createFcm(fcm)] : []),
    ...(apns ? [createApns(apns)] : []),
  ];
}
