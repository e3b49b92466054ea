import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { EthersLibrary } from "./ethersLibrary.ts";
import { createListeners } from "./listeners.ts";
import type { LocalDatastoreController, LocalStore } from "./local/LocalStore.ts";
import { defaultStorage, type StorageArea, servesOnePerson } from "./storage.ts";

/** Time and chance, passed in so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** 0 inclusive to 1 exclusive. */
  random(): number;
  /** Waits `ms` milliseconds; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Everything a call needs to know about its server. Never changed: a new one takes its place. */
export interface Connection {
  readonly applicationId: string;
  /** Without a slash at the end; empty while only `initialize` was called. */
  readonly serverUrl: string;
  readonly javascriptKey?: string | undefined;
  readonly masterKey?: string | undefined;
  /** Starts with ws; derived from serverUrl where undefined. */
  readonly liveQueryUrl?: string | undefined;
  /** Headers of the application's own, sent with every call. */
  readonly requestHeaders?: Readonly<Record<string, string>> | undefined;
  /** Make the Authorization header, for servers behind a gate: `Bearer` and a token. */
  readonly serverAuthType?: string | undefined;
  readonly serverAuthToken?: string | undefined;
  /** Sends one request id with every attempt of a call. */
  readonly idempotency: boolean;
  /** Whether a signed-in user becomes the current user. Off in Node, where callers would share it. */
  readonly keepsCurrentUser: boolean;
  readonly revocableSession: boolean;
  /** Attempts of a call in all, when the server fails or cannot be reached. */
  readonly requestAttemptLimit: number;
  /** Objects saved or destroyed in one request. */
  readonly batchSize: number;
  readonly storage: StorageArea;
  /** Objects kept on this device, once `enableLocalDatastore` was called. */
  readonly local?: LocalStore | undefined;
  /** Where those are written instead of the storage. */
  readonly localController?: LocalDatastoreController | undefined;
  /** Encrypts the user in the storage with `secret`, once `enableEncryptedUser` was called. */
  readonly userCipher?: UserCipher | undefined;
  readonly secret?: string | undefined;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** For old code that works with its objects. */
  readonly ethers?: EthersLibrary | undefined;
}

/** Hides a text from whoever reads the storage and has no secret. Throws without one; `open` also when it was changed. */
export interface UserCipher {
  seal(text: string, secret: string | undefined): string;
  open(sealed: string, secret: string | undefined): string;
}

export type ConnectionSettings = Partial<Connection> & Pick<Connection, "applicationId">;

export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        if (signal?.aborted) reject(signal.reason);
        else resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener("abort", end);
      if (signal?.aborted) end();
    }),
};

/** The platform's own, looked up at each call, as pages may replace it. */
export const ownFetch: typeof fetch = (input, init) => fetch(input, init);

let active: Connection | undefined;
/** What was chosen for all connections, the first of which may still have to come. */
let chosen: Partial<Connection> = {};
const listeners = /* @__PURE__ */ createListeners();

/** Makes the connection that all later calls use. */
export function connect(settings: ConnectionSettings): Connection {
  const { serverUrl = "", ...rest } = { ...defined(chosen), ...defined(settings) };
  return activate({
    idempotency: false,
    keepsCurrentUser: servesOnePerson(),
    revocableSession: false,
    requestAttemptLimit: 5,
    batchSize: 20,
    storage: rest.storage ?? defaultStorage(),
    fetch: ownFetch,
    clock: systemClock,
    ...rest,
    applicationId: settings.applicationId,
    serverUrl: serverUrl.replace(/\/+$/, ""),
  });
}

/** The connection in use. Throws 109 before `start`. */
export function connection(): Connection {
  if (active) return active;
  throw new ProtocolError(
    ErrorCode.NOT_INITIALIZED,
    "Moralis has not been initialized, run Moralis.start first",
  );
}

/** The connection in use; undefined before `start`. */
export function currentConnection(): Connection | undefined {
  return active;
}

/** Puts a changed copy in the place of the connection in use. */
export function reconfigure(change: Partial<Connection>): Connection {
  return activate({ ...connection(), ...change });
}

/** Like `reconfigure`, but also before the first connection, and for all that follow. */
export function configure(change: Partial<Connection>): void {
  chosen = { ...chosen, ...change };
  if (active) activate({ ...active, ...change });
}

/** A setting of the connection in use, or of the one to come. */
export function setting<K extends keyof Connection>(name: K): Connection[K] | undefined {
  return active ? active[name] : chosen[name];
}

function defined(settings: Partial<Connection>): Partial<Connection> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** Calls back whenever another connection takes over. Returns the way to stop it. */
export function onConnection(listener: () => void): () => void {
  return listeners.add(listener);
}

function activate(next: Connection): Connection {
  active = Object.freeze(next);
  listeners.call();
  return active;
}
