import { readFileSync } from "node:fs";
import { sectionOf, stringField } from "./sectionFields.ts";

export interface ApnsConfig {
  keyId: string;
  teamId: string;
  /** The `.p8` key, PEM. */
  privateKey: string;
  /** The app's bundle id. */
  topic: string;
  /** `https://api.push.apple.com`, or that of the sandbox. */
  endpoint: string;
}

export interface FcmConfig {
  /** As in the service account file. */
  projectId: string;
  clientEmail: string;
  /** PEM. */
  privateKey: string;
  /** Endpoint for access tokens. */
  tokenUri: string;
  /** Origin of the FCM API, without a path. */
  endpoint: string;
}

export interface WebPushConfig {
  /** Contact address for the push services: `mailto:…` or `https://…`. */
  subject: string;
  /** VAPID keys, base64url. */
  publicKey: string;
  privateKey: string;
  /** Origins of allowed push services besides the known ones, such as `https://push.example.org`. */
  services: string[];
}

/** The configured push services; without any, push messages cannot be sent. */
export interface PushConfig {
  webPush?: WebPushConfig;
  fcm?: FcmConfig;
  apns?: ApnsConfig;
}

/** Parses `push` of the config file. Throws Error that says what is allowed. */
export function parsePush(value: unknown): PushConfig {
  const { webPush, fcm, apns } = sectionOf(value, ["webPush", "fcm", "apns"]);
  return {
    ...(webPush !== undefined && { webPush: parseWebPush(webPush) }),
    ...(fcm !== undefined && { fcm: parseFcm(fcm) }),
    ...(apns !== undefined && { apns: parseApns(apns) }),
  };
}

function parseWebPush(value: unknown): WebPushConfig {
  const section = sectionOf(value, ["subject", "publicKey", "privateKey", "services"]);
  const subject = requiredString(section, "webPush", "subject");
  if (!/^(mailto:|https:\/\/)./.test(subject))
    throw new Error("webPush.subject must begin with mailto: or https://");
  const { services = [] } = section;
  const isOrigin = (each: unknown): each is string =>
    typeof each === "string" && URL.canParse(each) && new URL(each).origin === each;
  if (!Array.isArray(services) || !services.every(isOrigin)) {
    throw new Error("webPush.services must be a list of origins, as in https://push.example.org");
  }
  return {
    subject,
    publicKey: parseKey(requiredString(section, "webPush", "publicKey"), 65, "webPush.publicKey"),
    privateKey: parseKey(requiredString(section, "webPush", "privateKey"), 32, "webPush.privateKey"),
    services,
  };
}

function parseFcm(value: unknown): FcmConfig {
  const { serviceAccount, ...others } = sectionOf(value, ["serviceAccount", "endpoint"]);
  const account: unknown =
    typeof serviceAccount === "string" ? JSON.parse(readFileSync(serviceAccount, "utf8")) : serviceAccount;
  if (typeof account !== "object" || account === null) {
    throw new Error("fcm.serviceAccount must be the path of the service account file, or its content");
  }
  const fields = { ...account };
  return {
    projectId: requiredString(fields, "fcm.serviceAccount", "project_id"),
    clientEmail: requiredString(fields, "fcm.serviceAccount", "client_email"),
    privateKey: parsePem(
      requiredString(fields, "fcm.serviceAccount", "private_key"),
      "fcm.serviceAccount.private_key",
    ),
    tokenUri: parseUrl(
      stringField(fields, "token_uri") ?? "https://oauth2.googleapis.com/token",
      "fcm.serviceAccount.token_uri",
    ),
    endpoint: parseUrl(stringField(others, "endpoint") ?? "https://fcm.googleapis.com", "fcm.endpoint"),
  };
}

function parseApns(value: unknown): ApnsConfig {
  const section = sectionOf(value, ["keyId", "teamId", "privateKey", "topic", "production", "endpoint"]);
  const { production = true } = section;
  if (typeof production !== "boolean") throw new Error("apns.production must be true or false");
  const defaultEndpoint = production ? "https://api.push.apple.com" : "https://api.sandbox.push.apple.com";
  const privateKey = requiredString(section, "apns", "privateKey");
  return {
    keyId: requiredString(section, "apns", "keyId"),
    teamId: requiredString(section, "apns", "teamId"),
    privateKey: parsePem(
      privateKey.includes("-----") ? privateKey : readFileSync(privateKey, "utf8"),
      "apns.privateKey",
    ),
    topic: requiredString(section, "apns", "topic"),
    endpoint: parseUrl(stringField(section, "endpoint") ?? defaultEndpoint, "apns.endpoint"),
  };
}

function requiredString(section: Record<string, unknown>, name: string, key: string): string {
  const value = section[key];
  if (typeof value === "string" && value !== "") return value;
  throw new Error(`${name}.${key} must be a string`);
}

function parseKey(value: string, bytes: number, name: string): string {
  if (Buffer.from(value, "base64url").length === bytes) return value;
  throw new Error(`${name} must be ${bytes} bytes in base64url`);
}

function parsePem(value: string, name: string): string {
  if (value.includes("-----BEGIN PRIVATE KEY-----")) return value;
  throw new Error(`${name} must be a PKCS #8 key in PEM`);
}

function parseUrl(value: string, name: string): string {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value.replace(/\/+$/, "");
  throw new Error(`${name} must be a URL`);
}
