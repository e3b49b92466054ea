import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { isJsonObject, type JsonObject } from "@purse/protocol";

export interface CeremonyChoices {
  /** Origin of the page; that of the authenticator by default. */
  origin?: string;
  /** RP ID that is signed; that of the options by default. */
  rpId?: string;
  /** Signature counter; the next one by default. */
  counter?: number;
  /** Whether the authenticator has verified its user; true by default. */
  isUserVerified?: boolean;
  /** The user handle of a sign-in; that of the registration by default. */
  userHandle?: string;
  crossOrigin?: boolean;
}

/** An authenticator with one ES256 passkey in memory, which answers the options of a server as browsers do. */
export class SoftAuthenticator {
  readonly id = randomBytes(32).toString("base64url");
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #origin: string;
  /** Whether the passkey reports that it can be, and has been, copied to other devices. */
  readonly #isSynced: boolean;
  #counter = 0;
  #userHandle = "";

  constructor(origin: string, isSynced = false) {
    this.#origin = origin;
    this.#isSynced = isSynced;
  }

  /** What `navigator.credentials.create()` returns, as JSON. */
  register(options: JsonObject, choices: CeremonyChoices = {}): JsonObject {
    const { rp, user, challenge } = options;
    this.#userHandle = isJsonObject(user) ? String(user.id) : "";
    const rpId = choices.rpId ?? (isJsonObject(rp) ? String(rp.id) : "");
    const credential = Buffer.concat([
      Buffer.alloc(16),
      uint16(32),
      Buffer.from(this.id, "base64url"),
      coseKey(this.#keys.publicKey),
    ]);
    const authData = this.#authData(rpId, choices, credential);
    // { fmt: "none", attStmt: {}, authData }
    const attestationObject = Buffer.concat([
      Buffer.from("a363666d74646e6f6e656761747453746d74a0686175746844617461", "hex"),
      cborBytes(authData),
    ]);
    return this.#response({
      clientDataJSON: this.#clientData("webauthn.create", challenge, choices).toString("base64url"),
      attestationObject: attestationObject.toString("base64url"),
      transports: ["internal", "hybrid", "unknown"],
    });
  }

  /** What `navigator.credentials.get()` returns, as JSON. */
  signIn(options: JsonObject, choices: CeremonyChoices = {}): JsonObject {
    const authData = this.#authData(choices.rpId ?? String(options.rpId), choices);
    const clientData = this.#clientData("webauthn.get", options.challenge, choices);
    const signed = Buffer.concat([authData, createHash("sha256").update(clientData).digest()]);
    return this.#response({
      clientDataJSON: clientData.toString("base64url"),
      authenticatorData: authData.toString("base64url"),
      signature: createSign("sha256").update(signed).sign(this.#keys.privateKey).toString("base64url"),
      userHandle: choices.userHandle ?? this.#userHandle,
    });
  }

  #response(response: JsonObject): JsonObject {
    return { id: this.id, rawId: this.id, type: "public-key", clientExtensionResults: {}, response };
  }

  #clientData(type: string, challenge: unknown, { origin, crossOrigin = false }: CeremonyChoices): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: origin ?? this.#origin, crossOrigin }));
  }

  #authData(rpId: string, choices: CeremonyChoices, credential?: Buffer): Buffer {
    this.#counter = choices.counter ?? this.#counter + (this.#isSynced ? 0 : 1);
    const flags =
      0x01 |
      ((choices.isUserVerified ?? true) ? 0x04 : 0) |
      (this.#isSynced ? 0x18 : 0) |
      (credential ? 0x40 : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    return Buffer.concat([
      createHash("sha256").update(rpId).digest(),
      Buffer.from([flags]),
      counter,
      ...(credential ? [credential] : []),
    ]);
  }
}

/** The COSE key of a P-256 public key: { 1: 2, 3: -7, -1: 1, -2: x, -3: y }. */
function coseKey(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  return Buffer.concat([
    Buffer.from("a5010203262001215820", "hex"),
    Buffer.from(x, "base64url"),
    Buffer.from("225820", "hex"),
    Buffer.from(y, "base64url"),
  ]);
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x59]), uint16(bytes.length), bytes]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
