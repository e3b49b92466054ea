import { type ClientHttp2Session, connect, constants } from "node:http2";
import { isJsonObject, type JsonObject, tryParseJson } from "@purse/protocol";
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
import type { ApnsConfig } from "./settings.ts";

/** Lifetime of provider tokens. Apple requires a renewal between every 20 and every 60 minutes. */
const TOKEN_TTL_MS = 45 * 60_000;
/** Idle connections are closed after this time, in ms. */
const IDLE_MS = 60_000;
const INVALID_TOKEN_REASONS: ReadonlySet<string> = new Set([
  "Unregistered",
  "BadDeviceToken",
  "DeviceTokenNotForTopic",
  "ExpiredToken",
]);

/** Sends to Apple devices by APNs over HTTP/2. */
export function createApns(config: ApnsConfig): PushSender {
  let session: ClientHttp2Session | undefined;
  let signed: { token: Promise<string>; expiresAt: number } | undefined;

  function providerToken(): Promise<string> {
    if (!signed || signed.expiresAt <= Date.now())
      signed = { token: sign(config), expiresAt: Date.now() + TOKEN_TTL_MS };
    return signed.token;
  }

  function connection(): ClientHttp2Session {
    if (session && !session.closed && !session.destroyed) return session;
    const opened = connect(config.endpoint);
    // Pending requests fail by themselves; the next one opens a new connection.
    opened.on("error", () => opened.destroy());
    opened.on("goaway", () => opened.close());
    opened.setTimeout(IDLE_MS, () => opened.close());
    opened.unref();
    session = opened;
    return opened;
  }

  async function send(target: PushTarget, payload: PushPayload): Promise<SendResult> {
    if (!/^[0-9a-fA-F]{1,200}$/.test(target.deviceToken))
      return failed("the device token is not hexadecimal", true);
    const body = bodyOf(payload);
    const isSilent =
      isJsonObject(body.aps) && body.aps.alert === undefined && body.aps["content-available"] === 1;
    const { status, reason } = await request(connection(), JSON.stringify(body), {
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: `/3/device/${target.deviceToken}`,
      authorization: `bearer ${await providerToken()}`,
      "apns-topic": config.topic,
      "apns-push-type": isSilent ? "background" : "alert",
      "apns-priority": isSilent ? "5" : "10",
      ...(payload.expiresAt !== undefined && {
        "apns-expiration": `${Math.floor(payload.expiresAt / 1_000)}`,
      }),
    });
    if (status === 200) return SENT;
    if (reason === "ExpiredProviderToken") signed = undefined;
    return failed(
      `APNs answered ${status} ${reason}`.trim(),
      status === 410 || INVALID_TOKEN_REASONS.has(reason),
    );
  }

  return {
    deviceTypes: ["ios", "osx", "tvos", "watchos", "apns"],
    send: (targets, payload) => sendEach(targets, (target) => send(target, payload)),
    async stop() {
      session?.close();
    },
  };
}

async function sign({ keyId, teamId, privateKey }: ApnsConfig): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: "ES256", kid: keyId })
    .setIssuer(teamId)
    .setIssuedAt()
    .sign(await importPKCS8(privateKey, "ES256"));
}

/** Builds the payload: the fields that Parse defines go into `aps`, the rest beside it. */
function bodyOf({ data }: PushPayload): JsonObject {
  const { alert: _, title: __, badge, sound, category, ...others } = data;
  const { "content-available": available, "mutable-content": mutable, "thread-id": thread, ...rest } = others;
  const isText = typeof data.alert === "string" && typeof data.title !== "string";
  const alert = isText ? data.alert : alertOf(data);
  const aps: JsonObject = {};
  if (alert !== undefined) aps.alert = alert;
  if (typeof badge === "number") aps.badge = badge;
  if (sound !== undefined) aps.sound = sound;
  if (category !== undefined) aps.category = category;
  if (Number(available) === 1) aps["content-available"] = 1;
  if (Number(mutable) === 1) aps["mutable-content"] = 1;
  if (thread !== undefined) aps["thread-id"] = thread;
  return { ...rest, aps };
}

function request(
  session: ClientHttp2Session,
  body: string,
  headers: Record<string, string>,
): Promise<{ status: number; reason: string }> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers);
    let status = 0;
    let responseText = "";
    stream.setTimeout(SEND_TIMEOUT_MS, () => stream.destroy(new Error("APNs does not respond")));
    stream.on("response", (responseHeaders) => {
      status = Number(responseHeaders[constants.HTTP2_HEADER_STATUS]);
    });
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => {
      if (responseText.length < 10_000) responseText += text;
    });
    stream.on("end", () => resolve({ status, reason: reasonOf(responseText) }));
    stream.on("error", reject);
    stream.end(body);
  });
}

function reasonOf(responseText: string): string {
  const value = tryParseJson(responseText);
  return isJsonObject(value) && typeof value.reason === "string" ? value.reason : "";
}
