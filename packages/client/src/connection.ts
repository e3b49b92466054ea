import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { EthersLibrary } from "./ethersLibrary.ts";
import { createListeners } from "./listeners.ts";
import type { LocalDatastoreController, LocalStore } from "./local/LocalStore.ts";
import { defaultStorage, isSingleUserProcess, type StorageArea } from "./storage.ts";

/** Time and randomness, injectable so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** 0 inclusive to 1 exclusive. */
  random(): number;
  /** Waits `ms` milliseconds; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Everything that a call needs to know about its server. Immutable: changes replace the connection. */
export interface Connection {
  readonly applicationId: string;
  /** Without a slash at the end; empty while only `initialize` was called. */
  readonly serverUrl: string;
  readonly javascriptKey?: string | undefined;
  readonly masterKey?: string | undefined;
  /** Starts with ws; derived from serverUrl where undefined. */
  readonly liveQueryUrl?: string | undefined;
  /** Custom headers, sent with every call. */
  readonly requestHeaders?: Readonly<Record<string, string>> | undefined;
  /** Form the Authorization header, for servers behind an authenticating proxy: `Bearer` and a token. */
  readonly serverAuthType?: string | undefined;
  readonly serverAuthToken?: string | undefined;
  /** Sends one request id with every attempt of a call. */
  readonly idempotency: boolean;
  /** Whether a signed-in user becomes the current user. Off in Node, where all callers would share it. */
  readonly tracksCurrentUser: boolean;
  readonly revocableSession: boolean;
  /** Total number of attempts of a call when the server fails or is unreachable. */
  readonly requestAttemptLimit: number;
  /** Objects saved or destroyed in one request. */
  readonly batchSize: number;
  readonly storage: StorageArea;
  /** The local datastore, once `enableLocalDatastore` was called. */
  readonly local?: LocalStore | undefined;
  /** Where the local datastore writes instead of the storage. */
  readonly localController?: LocalDatastoreController | undefined;
  /** Encrypts the user in the storage with `secret`, once `enableEncryptedUser` was called. */
  readonly userCipher?: UserCipher | undefined;
  readonly secret?: string | undefined;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** For legacy code that uses ethers objects. */
  readonly ethers?: EthersLibrary | undefined;
}

/** Encrypts text for the storage. Both methods throw without a secret; `decrypt` also throws when the text was changed. */
export interface UserCipher {
  encrypt(text: string, secret: string | undefined): string;
  decrypt(encrypted: string, secret: string | undefined): string;
}

export type ConnectionSettings = Partial<Connection> & Pick<Connection, "applicationId">;

export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", finish);
        if (signal?.aborted) reject(signal.reason);
        else resolve();
      };
      const timer = setTimeout(finish, ms);
      signal?.addEventListener("abort", finish);
      if (signal?.aborted) finish();
    }),
};

/** The platform's `fetch`, looked up at each call because pages may replace it. */
export const ownFetch: typeof fetch = (input, init) => fetch(input, init);

let active: Connection | undefined;
/** Settings for all connections, including those that are not open yet. */
let presets: Partial<Connection> = {};
const listeners = /* @__PURE__ */ createListeners();

/** Creates the connection that all later calls use. */
export function connect(settings: ConnectionSettings): Connection {
  const { serverUrl = "", ...rest } = { ...withoutUndefined(presets), ...withoutUndefined(settings) };
  return activate({
    idempotency: false,
    tracksCurrentUser: isSingleUserProcess(),
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

/** The active connection. Throws 109 before `start`. */
export function connection(): Connection {
  if (active) return active;
  throw new ProtocolError(
    ErrorCode.NOT_INITIALIZED,
    "Moralis has not been initialized, run Moralis.start first",
  );
}

/** The active connection; undefined before `start`. */
export function currentConnection(): Connection | undefined {
  return active;
}

/** Replaces the active connection by a changed copy. */
export function reconfigure(change: Partial<Connection>): Connection {
  return activate({ ...connection(), ...change });
}

/** Like `reconfigure`, but also applies before the first connection and to all later ones. */
export function configure(change: Partial<Connection>): void {
  presets = { ...presets, ...change };
  if (active) activate({ ...active, ...change });
}

/** A setting of the active connection, or of the next one when there is none. */
export function setting<K extends keyof Connection>(name: K): Connection[K] | undefined {
  return active ? active[name] : presets[name];
}

function withoutUndefined(settings: Partial<Connection>): Partial<Connection> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** Calls back whenever the active connection changes. Returns a function that unsubscribes. */
export function onConnection(listener: () => void): () => void {
  return listeners.add(listener);
}

function activate(next: Connection): Connection {
  active = Object.freeze(next);
  listeners.call();
  return active;
}
