import { isJsonObject, tryParseJson } from "@purse/protocol";
import {
  failed,
  type PushPayload,
  type PushSender,
  type PushTarget,
  SEND_TIMEOUT_MS,
  SENT,
  type SendResult,
  sendEach,
} from "./pushSender.ts";
import type { WebPushConfig } from "./settings.ts";

/** Push services of browsers. A subscription is client input, so the server sends to no other origins. */
const KNOWN_SERVICES = [
  /^https:\/\/fcm\.googleapis\.com$/,
  /^https:\/\/[a-z0-9-]+\.push\.services\.mozilla\.com$/,
  /^https:\/\/[a-z0-9-]+\.push\.apple\.com$/,
  /^https:\/\/[a-z0-9.-]+\.notify\.windows\.com$/,
];

const MAX_TTL_SECONDS = 28 * 24 * 3_600;

interface WebSubscription {
  endpoint: string;
  keys: { p256dh: string; auth: string };
}

/** Sends to browsers by Web Push with VAPID. Their device token is their PushSubscription as JSON. */
export function createWebPush({ subject, publicKey, privateKey, services }: WebPushConfig): PushSender {
  const vapidDetails = { subject, publicKey, privateKey };

  async function send(target: PushTarget, { data, expiresAt }: PushPayload): Promise<SendResult> {
    const subscription = subscriptionOf(target.deviceToken);
    if (!subscription) return failed("the device token is not a push subscription", true);
    const { origin } = new URL(subscription.endpoint);
    if (!services.includes(origin) && !KNOWN_SERVICES.some((known) => known.test(origin))) {
      return failed(`${origin} is not an allowed push service`, true);
    }
    const secondsLeft =
      expiresAt === undefined ? MAX_TTL_SECONDS : Math.ceil((expiresAt - Date.now()) / 1_000);
    const TTL = Math.max(0, Math.min(MAX_TTL_SECONDS, secondsLeft));
    // Loaded on demand: not every server sends pushes.
    const { default: webPush } = await import("web-push");
    const { method, headers, body, endpoint } = webPush.generateRequestDetails(
      subscription,
      JSON.stringify(data),
      { vapidDetails, TTL, contentEncoding: "aes128gcm" },
    );
    const { "Content-Length": _, ...others } = headers;
    const response = await fetch(endpoint, {
      method,
      headers: Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)])),
      body: body === null ? null : new Uint8Array(body),
      redirect: "error",
      signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (response.ok) return SENT;
    return failed(
      `${origin} answered ${response.status}`,
      response.status === 404 || response.status === 410,
    );
  }

  return {
    deviceTypes: ["web", "webpush"],
    send: (targets, payload) => sendEach(targets, (target) => send(target, payload)),
    async stop() {},
  };
}

function subscriptionOf(deviceToken: string): WebSubscription | undefined {
  const value = tryParseJson(deviceToken);
  if (!isJsonObject(value) || typeof value.endpoint !== "string" || !URL.canParse(value.endpoint))
    return undefined;
  const { endpoint, keys } = value;
  if (!isJsonObject(keys) || typeof keys.p256dh !== "string" || typeof keys.auth !== "string")
    return undefined;
  return { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } };
}
