import type { JsonObject, JsonValue, StudioError, StudioState } from "@purse/protocol";
import { withDeadline } from "../query/withDeadline.ts";

export type Query = Readonly<Record<string, JsonValue | undefined>>;

/** An answer of the studio's server that is no success. */
export class StudioRequestError extends Error {
  override readonly name = "StudioRequestError";
  readonly status: number;
  readonly code: number;
  /** Of a conflict (409): the row as it is now. */
  readonly current: JsonObject | undefined;
  /** The password was right and a code is wanted too. */
  readonly secondFactor: boolean;

  constructor(status: number, { code, error, current, secondFactor = false }: StudioError) {
    super(error);
    this.status = status;
    this.code = code;
    this.current = current;
    this.secondFactor = secondFactor;
  }
}

/** Who works here, as far as the pages know. `isEnded`: the session is over, and the pages wait for the next one. */
export interface SessionState {
  state: StudioState;
  isExpired: boolean;
}

type Method = "GET" | "POST" | "PUT" | "DELETE";
type SignedIn = Extract<StudioState, { state: "signedIn" }>;

/**
 * The way to `/studio/api`. The session is a cookie, which scripts do not see. Where it is over, requests wait until
 * the same operator has signed in again and then go on: nothing that was typed is lost.
 */
export class StudioApi {
  #session: SessionState | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #resumeCallbacks = new Set<() => void>();

  get session(): SessionState | undefined {
    return this.#session;
  }

  /** Calls `listener` after each change of `access`, until the function that it answers is called. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Asks the server who works here. Throws StudioFailure. */
  async loadSession(): Promise<void> {
    this.#setState(await this.#send<StudioState>("GET", "/state", undefined));
  }

  get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    return this.#request<T>("GET", this.urlOf(path, query, ""), undefined, signal);
  }

  post<T>(path: string, body: object = {}): Promise<T> {
    return this.#request<T>("POST", path, body);
  }

  put<T>(path: string, body: object = {}): Promise<T> {
    return this.#request<T>("PUT", path, body);
  }

  delete<T>(path: string, body: object = {}): Promise<T> {
    return this.#request<T>("DELETE", path, body);
  }

  /** A piece of a file, to a route that takes bytes. */
  putBytes<T>(path: string, chunk: Blob, signal?: AbortSignal): Promise<T> {
    return this.#request<T>("PUT", path, chunk, signal);
  }

  /** Where a route is, for links to files and for event streams. Objects become JSON text. */
  urlOf(path: string, query: Query = {}, base = API_PATH): string {
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined || value === null || value === "") continue;
      params.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
    }
    return `${base}${path}${params.size > 0 ? `?${params}` : ""}`;
  }

  /** `/setup`, `/session` and `/password`: each answers with a session. Throws StudioFailure. */
  async authenticate(method: "POST" | "PUT", path: string, body: object): Promise<void> {
    this.#setState(await this.#send<StudioState>(method, path, body));
  }

  async signOut(): Promise<void> {
    await this.#send("DELETE", "/session", {});
    await this.loadSession();
  }

  /** A stream was told that there is no session: the pages ask for one. */
  expireSession(): void {
    if (!this.#session || this.#session.isExpired) return;
    this.#session = { ...this.#session, isExpired: true };
    this.#notify();
  }

  async #request<T>(
    method: Method,
    path: string,
    body: object | undefined,
    signal?: AbortSignal,
  ): Promise<T> {
    const operator = this.#signedInState()?.operator.id;
    if (this.#session?.isExpired) await this.#waitForSignIn(operator, signal);
    try {
      return await this.#send<T>(method, path, body, signal);
    } catch (error) {
      if (!(error instanceof StudioRequestError)) throw error;
      if (error.status === 401 && operator !== undefined) {
        this.expireSession();
        await this.#waitForSignIn(operator, signal);
      } else if (error.status === 403 && /CSRF/.test(error.message)) {
        // Another tab has signed in anew: the cookie is its, and so must the token be.
        await this.loadSession();
        if (this.#signedInState()?.operator.id !== operator) throw error;
      } else throw error;
    }
    return this.#send<T>(method, path, body, signal);
  }

  /** Nothing that one operator began is carried out as another. */
  async #waitForSignIn(operator: string | undefined, signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#resumeCallbacks.add(resolve);
      signal?.addEventListener("abort", () => {
        this.#resumeCallbacks.delete(resolve);
        reject(signal.reason);
      });
    });
    if (this.#signedInState()?.operator.id === operator) return;
    throw new StudioRequestError(401, { code: 209, error: "A different operator has signed in." });
  }

  async #send<T>(method: Method, path: string, body: object | undefined, signal?: AbortSignal): Promise<T> {
    if (method !== "GET") return this.#fetch(method, path, body, signal);
    return withDeadline(
      (options) => this.#fetch<T>(method, path, body, options.signal),
      signal ?? new AbortController().signal,
      READ_TIMEOUT_MS,
    );
  }

  async #fetch<T>(
    method: Method,
    path: string,
    body: object | undefined,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const csrf = this.#signedInState()?.csrf;
    const response = await fetch(API_PATH + path, {
      method,
      credentials: "same-origin",
      headers: {
        accept: "application/json",
        ...(method !== "GET" && { "content-type": body instanceof Blob ? OCTET_STREAM : "application/json" }),
        ...(method !== "GET" && csrf !== undefined && { "x-purse-csrf": csrf }),
      },
      ...(body && { body: body instanceof Blob ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw new StudioRequestError(0, { code: 100, error: "The server did not respond." });
    });
    const text = await response.text();
    if (!response.ok) throw new StudioRequestError(response.status, parseError(text, response.status));
    const result: T = JSON.parse(text);
    return result;
  }

  #signedInState(): SignedIn | undefined {
    const state = this.#session?.state;
    return state?.state === "signedIn" ? state : undefined;
  }

  /** Somebody who has signed in, or the knowledge that nobody has. */
  #setState(state: StudioState): void {
    const hasExpired =
      this.#signedInState() !== undefined && state.state !== "signedIn" && this.#resumeCallbacks.size > 0;
    this.#session =
      hasExpired && this.#session ? { ...this.#session, isExpired: true } : { state, isExpired: false };
    this.#notify();
    if (state.state !== "signedIn") return;
    for (const resume of this.#resumeCallbacks) resume();
    this.#resumeCallbacks.clear();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** How long a read may take, in ms: the database counts and explains within that. */
const READ_TIMEOUT_MS = 30_000;
const API_PATH = "/studio/api";
const OCTET_STREAM = "application/octet-stream";

function parseError(text: string, status: number): StudioError {
  try {
    const parsed: StudioError = JSON.parse(text);
    if (typeof parsed.error === "string") return parsed;
  } catch {
    // What stands between here and the server may answer with a page of its own.
  }
  return { code: 1, error: `The server responded with status ${status}.` };
}
