import { isJsonObject, type JsonObject } from "@purse/protocol";
import { pathOf } from "../pathOf.ts";
import { invalidResponse, type RequestOptions, requestObject, requestResults } from "../transport.ts";
import { User } from "./User.ts";
import { createCredential, type GetCredentialOptions, getCredential } from "./webAuthn.ts";

export {
  createCredential,
  type GetCredentialOptions,
  getCredential,
  isAutofillSupported,
  isSupported,
} from "./webAuthn.ts";

/** A passkey of the current user. */
export interface Passkey {
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | undefined;
  /** How the authenticator is reached, such as `internal` or `usb`. */
  transports: string[];
  /** Whether it can be copied to other devices, and whether it has been. */
  isSyncable: boolean;
  isBackedUp: boolean;
}

export interface RegisterPasskeyOptions {
  /** Name in the list of the user's passkeys. */
  name?: string | undefined;
  /** For accounts with a second factor: a code of it, or what `proveFactor()` returned. */
  code?: string | JsonObject | undefined;
  signal?: AbortSignal | undefined;
}

/** The name of the provider in sessions and `authData`. */
const PROVIDER = "passkey";
/** Signing in needs no session, and an expired one would be rejected. */
const WITHOUT_SESSION = { sessionToken: "" };
/** How long before its end a challenge is replaced, in ms. */
const RENEWAL_MS = 20_000;

/**
 * Signs in with a passkey that the user chooses in a dialog of the browser or, with `autofill`, in a field. No username
 * is needed. Rejects with 101 if the server refuses it, with a DOMException if the user cancels.
 */
export async function signIn({ signal, autofill = false }: GetCredentialOptions = {}): Promise<User> {
  const assertion = autofill ? await requestFromAutofill(signal) : await requestAssertion("login", signal);
  return signInBy(new User(), assertion, signal);
}

export interface PasskeySignUpOptions extends Pick<RegisterPasskeyOptions, "name" | "signal"> {
  /** The server chooses one by default. */
  username?: string | undefined;
  email?: string | undefined;
}

/**
 * Creates an account whose sign-in method is a new passkey, and signs in; without a session if the email address has to be
 * verified first. Rejects with 202 if the username is taken, with a DOMException if the user cancels.
 */
export async function signUp({ username, email, name, signal }: PasskeySignUpOptions = {}): Promise<User> {
  const purpose = { purpose: "signup", ...(username !== undefined && { username }) };
  const { userId, options } = await requestObject("POST", "passkeys/options", purpose, {
    ...WITHOUT_SESSION,
    ...(signal && { signal }),
  });
  if (typeof userId !== "string" || !isJsonObject(options)) throw invalidResponse();
  const credential = await createCredential(options, { signal });
  const user = new User({
    ...(username !== undefined && { username }),
    ...(email !== undefined && { email }),
  });
  return signInBy(user, { userId, credential, ...(name !== undefined && { name }) }, signal);
}

/** Sends a proof of a passkey with a user, who becomes the current user. */
async function signInBy(user: User, proof: JsonObject, signal: AbortSignal | undefined): Promise<User> {
  await user.linkWith(PROVIDER, { authData: proof }, { ...WITHOUT_SESSION, ...(signal && { signal }) });
  // It has been used: later saves must not send it again.
  const authData: unknown = user.get("authData");
  const { [PROVIDER]: _, ...rest } = isJsonObject(authData) ? authData : {};
  user._commit({ authData: rest });
  await user._afterSync();
  return user;
}

/** Registers a passkey of the current user. Rejects with -1 if a code of the second factor is needed. */
export async function register({ name, code, signal }: RegisterPasskeyOptions = {}): Promise<Passkey> {
  const options = await requestOptions("register", { signal }, code === undefined ? {} : { code });
  const credential = await createCredential(options, { signal });
  const body = { credential, ...(name !== undefined && { name }) };
  return toPasskey(await requestObject("POST", "passkeys", body, signal && { signal }));
}

/** The passkeys of the current user, oldest first. */
export async function list(options: RequestOptions = {}): Promise<Passkey[]> {
  const { results } = await requestResults("passkeys", {}, options);
  return results.filter(isJsonObject).map(toPasskey);
}

export async function rename(id: string, name: string, options: RequestOptions = {}): Promise<Passkey> {
  return toPasskey(await requestObject("PUT", passkeyPath(id), { name }, options));
}

/** Removes a passkey. Throws 119 if it is the only sign-in method of the account, or its only second factor. */
export async function remove(id: string, options: RequestOptions = {}): Promise<void> {
  await requestObject("DELETE", passkeyPath(id), {}, options);
}

/**
 * Signs with a passkey as a second factor. The result is the `mfa` of a sign-in's `authData`: `{ mfa: await
 * proveFactor() }`.
 */
export async function proveFactor({
  signal,
}: Pick<GetCredentialOptions, "signal"> = {}): Promise<JsonObject> {
  return { passkey: await requestAssertion("factor", signal) };
}

/** Requires a second factor at sign-in, which any passkey of the user is. Returns the recovery codes, shown only once. */
export async function enableFactor(user: User): Promise<string[]> {
  await user.linkWith("mfa", { authData: await proveFactor() });
  const response: unknown = user.get("authDataResponse");
  const mfa = isJsonObject(response) && isJsonObject(response.mfa) ? response.mfa : {};
  return typeof mfa.recovery === "string" ? mfa.recovery.split(", ") : [];
}

async function requestAssertion(
  purpose: "login" | "factor",
  signal: AbortSignal | undefined,
): Promise<JsonObject> {
  return getCredential(await requestOptions(purpose, { signal }), { signal });
}

/** Waits for a passkey from the autofill of a field, with a new challenge whenever one is about to expire. */
async function requestFromAutofill(signal: AbortSignal | undefined): Promise<JsonObject> {
  for (;;) {
    signal?.throwIfAborted();
    const options = await requestOptions("login", { signal });
    const renewal = new AbortController();
    const lifetime = Math.max(Number(options.timeout) - RENEWAL_MS, RENEWAL_MS);
    const timer = setTimeout(() => renewal.abort(), lifetime);
    const signals = signal ? AbortSignal.any([signal, renewal.signal]) : renewal.signal;
    try {
      return await getCredential(options, { signal: signals, autofill: true });
    } catch (error) {
      if (!renewal.signal.aborted || signal?.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

async function requestOptions(
  purpose: "login" | "factor" | "register",
  { signal }: Pick<GetCredentialOptions, "signal">,
  parameters: JsonObject = {},
): Promise<JsonObject> {
  const request = { ...(signal && { signal }), ...(purpose === "login" && WITHOUT_SESSION) };
  const { options } = await requestObject("POST", "passkeys/options", { purpose, ...parameters }, request);
  if (isJsonObject(options)) return options;
  throw invalidResponse();
}

function passkeyPath(id: string): string {
  return pathOf("passkeys", id);
}

function toPasskey(json: JsonObject): Passkey {
  const { objectId, name, createdAt, lastUsedAt, transports, isSyncable, isBackedUp } = json;
  return {
    id: String(objectId),
    name: String(name),
    createdAt: new Date(String(createdAt)),
    lastUsedAt: typeof lastUsedAt === "string" ? new Date(lastUsedAt) : undefined,
    transports: Array.isArray(transports) ? transports.map(String) : [],
    isSyncable: isSyncable === true,
    isBackedUp: isBackedUp === true,
  };
}
