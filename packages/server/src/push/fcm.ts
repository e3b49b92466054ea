import { isJsonObject, type JsonObject } from "@purse/protocol";
import { importPKCS8, SignJWT } from "jose";
import {
  alertOf,
  failed,
  type Outcome,
  type PushPayload,
  type PushSender,
  type PushTarget,
  SEND_TIMEOUT_MS,
  SENT,
  sendEach,
} from "./sender.ts";

export interface FcmConfig {
  /** As in the service account's file. */
  projectId: string;
  clientEmail: string;
  /** PEM. */
  privateKey: string;
  /** Where access tokens are had. */
  tokenUri: string;
  /** Where messages go, without a path. */
  endpoint: string;
}

const SCOPE = "https://www.googleapis.com/auth/firebase.messaging";
/** Access tokens are renewed this long before they expire, in ms. */
const MARGIN_MS = 60_000;

/** Android, by the HTTP v1 protocol of Firebase Cloud Messaging. */
export function createFcm(config: FcmConfig): PushSender {
  let access: { token: Promise<string>; until: number } | undefined;

  function accessToken(): Promise<string> {
    if (access && access.until > Date.now()) return access.token;
    const asked = { token: askForToken(), until: Date.now() + SEND_TIMEOUT_MS };
    access = asked;
    asked.token.catch(() => {
      if (access === asked) access = undefined;
    });
    return asked.token;

    async function askForToken(): Promise<string> {
      const { token, seconds } = await tokenFrom(config);
      asked.until = Date.now() + seconds * 1_000 - MARGIN_MS;
      return token;
    }
  }

  async function send(target: PushTarget, payload: PushPayload): Promise<Outcome> {
    const response = await fetch(`${config.endpoint}/v1/projects/${config.projectId}/messages:send`, {
      method: "POST",
      headers: { authorization: `Bearer ${await accessToken()}`, "content-type": "application/json" },
      body: JSON.stringify({ message: messageOf(target, payload) }),
      redirect: "error",
      signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
    });
    const answer: unknown = await response.json().catch(() => undefined);
    if (response.ok) return SENT;
    // A token that is refused is asked for again with the next message.
    if (response.status === 401) access = undefined;
    const code = errorCodeOf(answer);
    const isGone = code === "UNREGISTERED" || (code === "INVALID_ARGUMENT" && namesToken(answer));
    return failed(`FCM answered ${response.status} ${code ?? ""}`.trim(), isGone);
  }

  return {
    kinds: ["android", "fcm", "gcm"],
    send: (targets, payload) => sendEach(targets, (target) => send(target, payload)),
    async stop() {},
  };
}

/** The message as the SDKs of Parse read it on Android; others are shown its alert by the system. */
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

async function tokenFrom({
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
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok || !isJsonObject(answer) || typeof answer.access_token !== "string") {
    throw new Error(`no access token for FCM: ${response.status}`);
  }
  return { token: answer.access_token, seconds: Number(answer.expires_in) || 3_600 };
}

function errorCodeOf(answer: unknown): string | undefined {
  const error = isJsonObject(answer) && isJsonObject(answer.error) ? answer.error : {};
  for (const detail of Array.isArray(error.details) ? error.details : []) {
    if (isJsonObject(detail) && typeof detail.errorCode === "string") return detail.errorCode;
  }
  return typeof error.status === "string" ? error.status : undefined;
}

/** An argument that is not valid may be any; the token is named in the error's text. */
function namesToken(answer: unknown): boolean {
  const error = isJsonObject(answer) && isJsonObject(answer.error) ? answer.error : {};
  return typeof error.message === "string" && /registration token/i.test(error.message);
}
