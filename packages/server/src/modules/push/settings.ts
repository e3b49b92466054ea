import { tryParseJson } from "@purse/protocol";
import { z } from "zod";
import { isOrigin } from "../../config/nameServices.ts";
import { attempt, baseUrl, fileText } from "../../config/settingTypes.ts";

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
  webPush?: WebPushConfig | undefined;
  fcm?: FcmConfig | undefined;
  apns?: ApnsConfig | undefined;
}

const REQUIRED = z.string().min(1);
const URL_TEXT = baseUrl("it must be a URL");
const PEM = REQUIRED.refine((value) => value.includes("-----BEGIN PRIVATE KEY-----"), {
  error: "it must be a PKCS #8 key in PEM",
});

const WEB_PUSH = z.strictObject({
  subject: z.string().regex(/^(mailto:|https:\/\/)./, { error: "it must begin with mailto: or https://" }),
  publicKey: keyOf(65),
  privateKey: keyOf(32),
  services: z
    .array(z.string().refine(isOrigin, { error: "it must be an origin, as in https://push.example.org" }))
    .default([]),
}) satisfies z.ZodType<WebPushConfig>;

const SERVICE_ACCOUNT = z.object({
  project_id: REQUIRED,
  client_email: REQUIRED,
  private_key: PEM,
  token_uri: URL_TEXT.default("https://oauth2.googleapis.com/token"),
});

const FCM = z
  .strictObject({
    /** The path of the service account file, or its content. */
    serviceAccount: z
      .custom<string | z.input<typeof SERVICE_ACCOUNT>>()
      .transform((account, context): unknown =>
        typeof account === "string" ? attempt(() => serviceAccountIn(account), context) : account,
      )
      .pipe(SERVICE_ACCOUNT),
    endpoint: URL_TEXT.default("https://fcm.googleapis.com"),
  })
  .transform(
    ({ serviceAccount: account, endpoint }): FcmConfig => ({
      projectId: account.project_id,
      clientEmail: account.client_email,
      privateKey: account.private_key,
      tokenUri: account.token_uri,
      endpoint,
    }),
  );

const APNS = z
  .strictObject({
    keyId: REQUIRED,
    teamId: REQUIRED,
    /** The key, or the path of its file. */
    privateKey: REQUIRED.transform((key, context) =>
      key.includes("-----") ? key : attempt(() => fileText(key), context),
    ).pipe(PEM),
    topic: REQUIRED,
    production: z.boolean().default(true),
    endpoint: URL_TEXT.optional(),
  })
  .transform(
    ({ production, endpoint, ...others }): ApnsConfig => ({
      ...others,
      endpoint:
        endpoint ?? (production ? "https://api.push.apple.com" : "https://api.sandbox.push.apple.com"),
    }),
  );

/** `push` of the config file. */
export const pushSchema = z
  .strictObject({ webPush: WEB_PUSH.optional(), fcm: FCM.optional(), apns: APNS.optional() })
  .prefault({}) satisfies z.ZodType<PushConfig>;

/** `push` as the config file contains it. */
export type PushInput = z.input<typeof pushSchema>;

function serviceAccountIn(path: string): unknown {
  const account = tryParseJson(fileText(path));
  if (account === undefined) throw new Error(`${path} is not a file of JSON, as the service account is`);
  return account;
}

function keyOf(bytes: number) {
  return z.string().refine((value) => Buffer.from(value, "base64url").length === bytes, {
    error: `it must be ${bytes} bytes in base64url`,
  });
}
