import { isJsonObject, type JsonObject } from "@purse/protocol";
import { importPKCS8, SignJWT } from "jose";
import {
  alertOf,
  failed,
  type PushPayload,
  type PushSender,
  type PushTarget,
  SEND_TIMEOUT_MS,
  SENT,
  type SendResult,
  sendEach,
} from "./pushSender.ts";
import type { FcmConfig } from "./settings.ts";

const SCOPE = "https://www.googleapis.com/auth/firebase.messaging";
/** Access tokens are renewed this long before they expire, in ms. */
const EXPIRY_MARGIN_MS = 60_000;

/** Sends to Android devices by the HTTP v1 API of Firebase Cloud Messaging. */
export function createFcm(config: FcmConfig): PushSender {
  let access: { token: Promise<string>; expiresAt: number } | undefined;

  function accessToken(): Promise<string> {
    if (access && access.expiresAt > Date.now()) return access.token;
    const requested = { token: requestToken(), expiresAt: Date.now() + SEND_TIMEOUT_MS };
    access = requested;
    requested.token.catch(() => {
      if (access === requested) access = undefined;
    });
    return requested.token;

    async function requestToken(): Promise<string> {
      const { token, seconds } = await fetchAccessToken(config);
      requested.expiresAt = Date.now() + seconds * 1_000 - EXPIRY_MARGIN_MS;
      return token;
    }
  }

  async function send(target: PushTarget, payload: PushPayload): Promise<SendResult> {
    const response = await fetch(`${config.endpoint}/v1/projects/${config.projectId}/messages:send`, {
      method: "POST",
      headers: { authorization: `Bearer ${await accessToken()}`, "content-type": "application/json" },
      body: JSON.stringify({ message: messageOf(target, payload) }),
      redirect: "error",
      signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
    });
    const result: unknown = await response.json().catch(() => undefined);
    if (response.ok) return SENT;
    // If the access token is rejected, the next message requests a new one.
    if (response.status === 401) access = undefined;
    const code = errorCodeOf(result);
    const isInvalidToken = code === "UNREGISTERED" || (code === "INVALID_ARGUMENT" && namesToken(result));
    return failed(`FCM answered ${response.status} ${code ?? ""}`.trim(), isInvalidToken);
  }

  return {
    deviceTypes: ["android", "fcm", "gcm"],
    send: (targets, payload) => sendEach(targets, (target) => send(target, payload)),
    async stop() {},
  };
}

/** Builds the message. Parse SDKs on Android read its data; on other devices the system shows the notification. */
function messageOf(target: PushTarget, { data, pushId, expiresAt }: PushPayload): JsonObject {
  const notification = target.deviceType === "android" ? undefined : alertOf(data);
  const ttl = expiresAt === undefined ? undefined : Math.max(0, Math.ceil((expiresAt - Date.now()) / 1_000));
  return {
    token: target.deviceToken,
    data: { data: JSON.stringify(data), push_id: pushId, time: new Date().toISOString() },
    ...(notification && { notification }),
    android: { priority: "high", ...(ttl !== undefined && { ttl: `${ttl}s` }) },
  };
}

async function fetchAccessToken({
  clientEmail,
  privateKey,
  tokenUri,
}: FcmConfig): Promise<{ token: string; seconds: number }> {
  const assertion = await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT" })
    .setIssuer(clientEmail)
    .setAudience(tokenUri)
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(await importPKCS8(privateKey, "RS256"));
  const response = await fetch(tokenUri, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }),
    redirect: "error",
    signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
  });
  const result: unknown = await response.json().catch(() => undefined);
  if (!response.ok || !isJsonObject(result) || typeof result.access_token !== "string") {
    throw new Error(`no access token for FCM: ${response.status}`);
  }
  return { token: result.access_token, seconds: Number(result.expires_in) || 3_600 };
}

function errorCodeOf(result: unknown): string | undefined {
  const error = isJsonObject(result) && isJsonObject(result.error) ? result.error : {};
  for (const detail of Array.isArray(error.details) ? error.details : []) {
    if (isJsonObject(detail) && typeof detail.errorCode === "string") return detail.errorCode;
  }
  return typeof error.status === "string" ? error.status : undefined;
}

/** Whether an INVALID_ARGUMENT error is about the device token, which only the message of the error shows. */
function namesToken(result: unknown): boolean {
  const error = isJsonObject(result) && isJsonObject(result.error) ? result.error : {};
  return typeof error.message === "string" && /registration token/i.test(error.message);
}
