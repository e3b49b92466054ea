import type { JsonObject } from "@purse/protocol";
export interface PurseOptions {
  /** Starts the local chain too, on a free port. */
  devChain?: boolean;
  /** Kept from an earlier run; a new folder otherwise. */
  dataDir?: string;
  port?: number;
  env?: Record<string, string>;
}
/** A really started server, a process of its own. */
export interface Purse {
  url: string;
  serverUrl: string;
  appId: string;
  masterKey: string;
  dataDir: string;
  port: number;
  rpcUrl: string;
  /** What the process has printed. */
  output(): string;
  /** Asks it to end, as Ctrl-C does; resolves with its exit code. */
  stop(): Promise<number | null>;
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}
export declare function startPurse(options?: PurseOptions): Promise<Purse>;
export declare function freePort(): Promise<number>;
export interface Credentials {
  sessionToken?: string;
  useMasterKey?: boolean;
}
export interface Answer {
  status: number;
  body: JsonObject & {
    code?: number;
    error?: string;
  };
  headers: Headers;
}
/** Ordinary REST with `X-Parse-…` headers. */
export declare function rest(
  purse: Purse,
  method: string,
  path: string,
  body?: unknown,
  credentials?: Credentials,
): Promise<Answer>;
/** The envelope of the old clients: POST, text/plain, everything in the body. */
export declare function envelope(purse: Purse, path: string, body: JsonObject | string): Promise<Answer>;
/** Signs a new user up. */
export declare function signUp(
  purse: Purse,
  fields?: JsonObject,
): Promise<{
  id: string;
  sessionToken: string;
  username: string;
}>;
/** A `where` in a path. */
export declare function query(params: Record<string, unknown>): string;
