import type { PushConfig } from "../config/push.ts";
import type { ClassRules } from "../objects/rules.ts";
import { createApns } from "./apns.ts";
import { audienceRules } from "./audiences.ts";
import { createFcm } from "./fcm.ts";
import { pushStatusRules } from "./pushStatus.ts";
import type { PushSender } from "./sender.ts";
import { createWebPush } from "./webPush.ts";

export { createPush, type Push } from "./push.ts";

/** The classes that pushes are kept in. */
export const pushRules: readonly ClassRules[] = [audienceRules, pushStatusRules];

/** The services that are configured. */
export function createSenders({ webPush, fcm, apns }: PushConfig): PushSender[] {
  return [
    ...(webPush ? [createWebPush(webPush)] : []),
    ...(fcm ? [createFcm(fcm)] : []),
    ...(apns ? [createApns(apns)] : []),
  ];
}
