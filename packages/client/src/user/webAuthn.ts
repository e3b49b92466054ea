import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";

/* WebAuthn with the JSON that servers send and expect, for browsers with and without JSON methods of their own. */

export interface GetCredentialOptions {
  /** Cancels the request; the browser closes its dialog. */
  signal?: AbortSignal | undefined;
  /** Offers the passkeys in the autofill of a field with `autocomplete="username webauthn"`, instead of a dialog. */
  autofill?: boolean | undefined;
}

/**
 * Whether this browser and page can use passkeys. Pages other than those of localhost need HTTPS, and browsers refuse
 * pages with an IP address.
 */
export function isSupported(): boolean {
  if (typeof location === "object" && /^(?:[\d.]+|\[.*\])$/.test(location.hostname)) return false;
  return typeof PublicKeyCredential === "function" && typeof navigator.credentials?.get === "function";
}

/** Whether the browser offers passkeys in the autofill of fields. */
export async function isAutofillSupported(): Promise<boolean> {
  if (!isSupported() || typeof PublicKeyCredential.isConditionalMediationAvailable !== "function")
    return false;
  return PublicKeyCredential.isConditionalMediationAvailable();
}

/** Creates a passkey as the options of a server say. Rejects with a DOMException if the user or the browser refuses. */
export async function createCredential(
  options: JsonObject,
  { signal }: Pick<GetCredentialOptions, "signal"> = {},
): Promise<JsonObject> {
  const { rp, user, authenticatorSelection } = options;
  const party = isJsonObject(rp) ? rp : {};
  const account = isJsonObject(user) ? user : {};
  const selection = isJsonObject(authenticatorSelection) ? authenticatorSelection : {};
  const credential = await navigator.credentials.create({
    ...(signal && { signal }),
    publicKey: {
      challenge: toBytes(options.challenge),
      rp: { id: String(party.id), name: String(party.name) },
      user: {
        id: toBytes(account.id),
        name: String(account.name),
        displayName: String(account.displayName),
      },
      pubKeyCredParams: listOf(options.pubKeyCredParams).map(({ alg }) => ({
        type: "public-key",
        alg: Number(alg),
      })),
      timeout: Number(options.timeout),
      excludeCredentials: listOf(options.excludeCredentials).map(toDescriptor),
      authenticatorSelection: {
        requireResidentKey: selection.requireResidentKey === true,
        residentKey: selection.residentKey === "required" ? "required" : "preferred",
        userVerification: toRequirement(selection.userVerification),
      },
      attestation: "none",
    },
  });
  if (credential instanceof PublicKeyCredential) {
    const { response } = credential;
    if (response instanceof AuthenticatorAttestationResponse) {
      return toJson(credential, {
        clientDataJSON: fromBytes(response.clientDataJSON),
        attestationObject: fromBytes(response.attestationObject),
        transports: response.getTransports?.() ?? [],
      });
    }
  }
  throw new Error("The browser created no passkey");
}

/** Signs with a passkey as the options of a server say. Rejects with a DOMException if the user or the browser refuses. */
export async function getCredential(
  options: JsonObject,
  { signal, autofill = false }: GetCredentialOptions = {},
): Promise<JsonObject> {
  const credential = await navigator.credentials.get({
    ...(signal && { signal }),
    ...(autofill && { mediation: "conditional" }),
    publicKey: {
      challenge: toBytes(options.challenge),
      rpId: String(options.rpId),
      timeout: Number(options.timeout),
      allowCredentials: listOf(options.allowCredentials).map(toDescriptor),
      userVerification: toRequirement(options.userVerification),
    },
  });
  if (credential instanceof PublicKeyCredential) {
    const { response } = credential;
    if (response instanceof AuthenticatorAssertionResponse) {
      return toJson(credential, {
        clientDataJSON: fromBytes(response.clientDataJSON),
        authenticatorData: fromBytes(response.authenticatorData),
        signature: fromBytes(response.signature),
        ...(response.userHandle && { userHandle: fromBytes(response.userHandle) }),
      });
    }
  }
  throw new Error("The browser returned no passkey");
}

function toJson({ id, rawId }: PublicKeyCredential, response: JsonObject): JsonObject {
  return { id, rawId: fromBytes(rawId), type: "public-key", clientExtensionResults: {}, response };
}

const TRANSPORTS = ["ble", "hybrid", "internal", "nfc", "usb"] as const;

function toDescriptor({ id, transports }: JsonObject): PublicKeyCredentialDescriptor {
  const names = Array.isArray(transports) ? transports : [];
  return {
    id: toBytes(id),
    type: "public-key",
    transports: TRANSPORTS.filter((transport) => names.includes(transport)),
  };
}

function toRequirement(value: JsonValue | undefined): UserVerificationRequirement {
  return value === "required" ? "required" : "preferred";
}

function listOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function toBytes(base64url: JsonValue | undefined): Uint8Array<ArrayBuffer> {
  const base64 = String(base64url).replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function fromBytes(buffer: ArrayBuffer): string {
  const text = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
