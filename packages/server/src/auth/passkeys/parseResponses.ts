import type { JsonValue } from "@purse/protocol";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { z } from "zod";
import { passkeyError } from "./passkeyError.ts";

/** Maximum lengths of base64url texts: credential IDs have up to 1,023 bytes. */
const MAX_ID_LENGTH = 1_364;
const MAX_BYTES_LENGTH = 16_384;
const KNOWN_TRANSPORTS = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"] as const;

const id = z
  .string()
  .min(1)
  .max(MAX_ID_LENGTH)
  .regex(/^[\w-]+$/);
const bytes = z
  .string()
  .min(1)
  .max(MAX_BYTES_LENGTH)
  .regex(/^[\w-]+$/);
/** Transports that are not known are ignored. */
const transports = z
  .array(z.string())
  .max(20)
  .transform((names) => KNOWN_TRANSPORTS.filter((known) => names.includes(known)));

const credential = { id, rawId: id, type: z.literal("public-key") };
const registrationResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: transports.optional(),
  }),
});
const assertionResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: z.string().max(128).nullish(),
  }),
});
const clientData = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string().max(1_024),
  crossOrigin: z.boolean().optional(),
});

/** The browser's data about a ceremony, which the authenticator has signed. */
export type ClientData = z.output<typeof clientData>;

/** Parses what `navigator.credentials.create()` returned, as JSON. Throws 101. */
export function parseRegistration(value: JsonValue | undefined): RegistrationResponseJSON {
  const { success, data } = registrationResponse.safeParse(value);
  if (!success) throw passkeyError("it is not the JSON of a registration");
  const { transports: known = [], ...response } = data.response;
  return { ...data, response: { ...response, transports: known }, clientExtensionResults: {} };
}

/** Parses what `navigator.credentials.get()` returned, as JSON. Throws 101. */
export function parseAssertion(value: JsonValue | undefined): AuthenticationResponseJSON {
  const { success, data } = assertionResponse.safeParse(value);
  if (!success) throw passkeyError("it is not the JSON of a sign-in");
  const { userHandle, ...response } = data.response;
  return {
    ...data,
    response: { ...response, ...(typeof userHandle === "string" && { userHandle }) },
    clientExtensionResults: {},
  };
}

/** Parses the client data of a response. Throws 101, also for a response from a frame of another site. */
export function parseClientData(clientDataJSON: string): ClientData {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8"));
  } catch {
    throw passkeyError("its client data is not JSON");
  }
  const { success, data } = clientData.safeParse(json);
  if (!success) throw passkeyError("its client data is not complete");
  if (data.crossOrigin === true) throw passkeyError("it was used in a frame of another site");
  return data;
}
