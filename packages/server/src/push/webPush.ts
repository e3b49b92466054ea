import { isJsonObject, type JsonValue } from "@purse/protocol";
import {
  failed,
  type Outcome,
  type PushPayload,
  type PushSender,
  type PushTarget,
  SEND_TIMEOUT_MS,
  SENT,
  sendEach,
} from "./sender.ts";

export interface WebPushConfig {
  /** Who sends, for the services to write to: `mailto:…` or `https://…`. */
  subject: string;
  /** VAPID keys, base64url. */
  publicKey: string;
  privateKey: string;
  /** Beside the known ones, services that may be sent to: origins, as in `https://push.example.org`. */
  services: string[];
}

/** What browsers of today use. A subscription is client input: it may not make us call anything else. */
const KNOWN_SERVICES = [
  /^https:\/\/fcm\.googleapis\.com$/,
  /^https:\/\/[a-z0-9-]+\.push\.services\.mozilla\.com$/,
  /^https:\/\/[a-z0-9-]+\.push\.apple\.com$/,
  /^https:\/\/[a-z0-9.-]+\.notify\.windows\.com$/,
];

const LONGEST_TTL = 28 * 24 * 3_600;

interface WebSubscription {
  endpoint: string;
  keys: { p256dh: string; auth: string };
}

/** Browsers, by Web Push with VAPID. Their device token is the JSON text of their PushSubscription. */
export function createWebPush({ subject, publicKey, privateKey, services }: WebPushConfig): PushSender {
  const vapidDetails = { subject, publicKey, privateKey };

  async function send(target: PushTarget, { data, expiresAt }: PushPayload): Promise<Outcome> {
    const subscription = subscriptionOf(target.deviceToken);
    if (!subscription) return failed("the device token is no push subscription", true);
    const { origin } = new URL(subscription.endpoint);
    if (!services.includes(origin) && !KNOWN_SERVICES.some((known) => known.test(origin))) {
      return failed(`${origin} is not a push service that may be sent to`, true);
    }
    const left = expiresAt === undefined ? LONGEST_TTL : Math.ceil((expiresAt - Date.now()) / 1_000);
    const TTL = Math.max(0, Math.min(LONGEST_TTL, left));
    // A server that sends no pushes does not load what encrypts them.
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
    kinds: ["web", "webpush"],
    send: (targets, payload) => sendEach(targets, (target) => send(target, payload)),
    async stop() {},
  };
}

function subscriptionOf(deviceToken: string): WebSubscription | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(deviceToken);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value) || typeof value.endpoint !== "string" || !URL.canParse(value.endpoint))
    return undefined;
  const { endpoint, keys } = value;
  if (!isJsonObject(keys) || typeof keys.p256dh !== "string" || typeof keys.auth !== "string")
    return undefined;
  return { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } };
}
