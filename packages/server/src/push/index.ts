import type { PushConfig } from "../config/push.ts";
import { createApns } from "./apns.ts";
import { createFcm } from "./fcm.ts";
import type { PushSender } from "./sender.ts";
import { createWebPush } from "./webPush.ts";

export { createPush, type Push } from "./push.ts";
export { pushStatusRules } from "./pushStatus.ts";

/** The services that are configured. */
export function createSenders({ webPush, fcm, apns }: PushConfig): PushSender[] {
  return [
    ...(webPush ? [createWebPush(webPush)] : []),
    ...(fcm ? [createFcm(fcm)] : []),
    ...(apns ? [createApns(apns)] : []),
  ];
}
