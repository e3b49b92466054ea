import type { JsonObject } from "@purse/protocol";
import type {
  Method,
  StudioError,
  StudioInput,
  StudioListPath,
  StudioPage,
  StudioPath,
  StudioResponse,
  StudioRow,
  StudioState,
} from "@purse/server/studio-api";
import { withTimeout } from "@purse/ui";

/** An error response of the studio API; status 0 when the server did not respond. */
export class StudioRequestError extends Error {
  override readonly name = "StudioRequestError";
  readonly status: number;
  readonly code: number;
  /** On a conflict (409), the current row. */
  readonly current: JsonObject | undefined;
  /** The password was correct and a second factor is required. */
  readonly secondFactor: boolean;

  constructor(status: number, { code, error, current, secondFactor = false }: StudioError) {
    super(error);
    this.status = status;
    this.code = code;
    this.current = current;
    this.secondFactor = secondFactor;
  }
}

/** The session as the pages know it. `isExpired`: requests wait until the operator signs in again. */
export interface SessionState {
  state: StudioState;
  isExpired: boolean;
}

type SignedIn = Extract<StudioState, { state: "signedIn" }>;

/**
 * Client of the studio API, `/studio/api`. The session is an HTTP-only cookie. When it expires, requests wait until the same
 * operator has signed in again and then resume, so that no input is lost.
 */
export class StudioApi {
  #session: SessionState | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #resumeCallbacks = new Set<() => void>();

  get session(): SessionState | undefined {
    return this.#session;
  }

  /** Calls `listener` after each change of `session`; returns the unsubscribe function. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Loads the current session. Throws StudioRequestError. */
  async loadSession(): Promise<void> {
    this.#setState(await this.#send<StudioState>("GET", "/state", undefined));
  }

  get<Path extends StudioPath<"GET">>(
    path: Path,
    input: StudioInput<"GET", Path>,
    signal?: AbortSignal,
  ): Promise<StudioResponse<"GET", Path>> {
    return this.#request("GET", urlOf(path, input), undefined, signal);
  }

  /** Rows of a list; `after` is `next` of the previous page. */
  getRows<Path extends StudioListPath>(
    path: Path,
    input: StudioInput<"GET", Path>,
    after?: string,
    signal?: AbortSignal,
  ): Promise<StudioPage<StudioRow<Path>>> {
    return this.#request("GET", urlOf(path, { ...input, after }), undefined, signal);
  }

  post<Path extends StudioPath<"POST">>(
    path: Path,
    input: StudioInput<"POST", Path>,
  ): Promise<StudioResponse<"POST", Path>> {
    return this.#request("POST", ...withBody(path, input));
  }

  put<Path extends StudioPath<"PUT">>(
    path: Path,
    input: StudioInput<"PUT", Path>,
  ): Promise<StudioResponse<"PUT", Path>> {
    return this.#request("PUT", ...withBody(path, input));
  }

  delete<Path extends StudioPath<"DELETE">>(
    path: Path,
    input: StudioInput<"DELETE", Path>,
  ): Promise<StudioResponse<"DELETE", Path>> {
    return this.#request("DELETE", ...withBody(path, input));
  }

  /** Uploads a chunk of a file. */
  putBytes<Path extends StudioPath<"PUT">>(
    path: Path,
    input: StudioInput<"PUT", Path>,
    chunk: Blob,
    signal?: AbortSignal,
  ): Promise<StudioResponse<"PUT", Path>> {
    return this.#request("PUT", urlOf(path, input), chunk, signal);
  }

  /** URL of a route, for downloads and event streams. */
  urlOf<Path extends StudioPath<"GET">>(path: Path, input: StudioInput<"GET", Path>): string {
    return API_PATH + urlOf(path, input);
  }

  /** Calls an endpoint that returns a session. Throws StudioRequestError. */
  async setUp(input: StudioInput<"POST", "/setup">): Promise<void> {
    this.#setState(await this.#send<StudioState>("POST", "/setup", input));
  }

  async signIn(input: StudioInput<"POST", "/session">): Promise<void> {
    this.#setState(await this.#send<StudioState>("POST", "/session", input));
  }

  /** Requests options for a passkey. Does not wait for a sign-in, as it is part of one. */
  async passkeyOptions(purpose: "login" | "factor"): Promise<JsonObject> {
    type Response = StudioResponse<"GET", "/passkeys/options">;
    return (await this.#send<Response>("GET", urlOf("/passkeys/options", { purpose }), undefined)).options;
  }

  async signInWithPasskey(passkey: JsonObject): Promise<void> {
    this.#setState(await this.#send<StudioState>("POST", "/session/passkey", { passkey }));
  }

  async changePassword(input: StudioInput<"PUT", "/password">): Promise<void> {
    this.#setState(await this.#send<StudioState>("PUT", "/password", input));
  }

  async signOut(): Promise<void> {
    await this.#send("DELETE", "/session", {});
    await this.loadSession();
  }

  /** Marks the session as expired, which opens the sign-in dialog. */
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
        // Another tab has signed in again and replaced the cookie, so the CSRF token must be reloaded.
        await this.loadSession();
        if (this.#signedInState()?.operator.id !== operator) throw error;
      } else throw error;
    }
    return this.#send<T>(method, path, body, signal);
  }

  /** Requests of one operator are never sent as another. */
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
    return withTimeout(
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

  /** Sets the session and resumes waiting requests after a sign-in. */
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

/** Timeout of GET requests, in ms; covers slow counts and query plans. */
const READ_TIMEOUT_MS = 30_000;
const API_PATH = "/studio/api";
const OCTET_STREAM = "application/octet-stream";

function parseError(text: string, status: number): StudioError {
  try {
    const parsed: StudioError = JSON.parse(text);
    if (typeof parsed.error === "string") return parsed;
  } catch {
    // A proxy may respond with an HTML page.
  }
  return { code: 1, error: `The server responded with status ${status}.` };
}

/** The path with its parameters, and the other parameters as query string: objects as JSON, without empty values. */
function urlOf(path: string, input: object): string {
  const { url, rest } = fillPath(path, input);
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined || value === null || value === "") continue;
    params.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  return params.size > 0 ? `${url}?${params}` : url;
}

/** The path with its parameters, and the other parameters as body. */
function withBody(path: string, input: object): [url: string, body: object] {
  const { url, rest } = fillPath(path, input);
  return [url, rest];
}

function fillPath(path: string, input: object): { url: string; rest: Record<string, unknown> } {
  const rest: Record<string, unknown> = { ...input };
  const url = path.replace(/:(\w+)/g, (_, name) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  return { url, rest };
}
