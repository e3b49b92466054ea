import type { JsonObject, JsonValue, StudioError, StudioState } from "@purse/protocol";
import { withTimeout } from "../query/withTimeout.ts";

export type Query = Readonly<Record<string, JsonValue | undefined>>;

/** An answer of the studio's server that is no success. */
export class StudioFailure extends Error {
  override readonly name = "StudioFailure";
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
export interface Access {
  state: StudioState;
  isEnded: boolean;
}

type Method = "GET" | "POST" | "PUT" | "DELETE";
type SignedIn = Extract<StudioState, { state: "signedIn" }>;

/**
 * The way to `/studio/api`. The session is a cookie, which scripts do not see. Where it is over, requests wait until
 * the same operator has signed in again and then go on: nothing that was typed is lost.
 */
export class StudioApi {
  #access: Access | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #waiting = new Set<() => void>();

  get access(): Access | undefined {
    return this.#access;
  }

  /** Calls `listener` after each change of `access`, until the function that it answers is called. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Asks the server who works here. Throws StudioFailure. */
  async load(): Promise<void> {
    this.#become(await this.#send<StudioState>("GET", "/state", undefined));
  }

  get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    return this.#ask<T>("GET", this.urlOf(path, query, ""), undefined, signal);
  }

  post<T>(path: string, body: object = {}): Promise<T> {
    return this.#ask<T>("POST", path, body);
  }

  put<T>(path: string, body: object = {}): Promise<T> {
    return this.#ask<T>("PUT", path, body);
  }

  delete<T>(path: string, body: object = {}): Promise<T> {
    return this.#ask<T>("DELETE", path, body);
  }

  /** A piece of a file, to a route that takes bytes. */
  putBytes<T>(path: string, piece: Blob, signal?: AbortSignal): Promise<T> {
    return this.#ask<T>("PUT", path, piece, signal);
  }

  /** Where a route is, for links to files and for event streams. Objects become JSON text. */
  urlOf(path: string, query: Query = {}, mount = MOUNT): string {
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined || value === null || value === "") continue;
      params.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
    }
    return `${mount}${path}${params.size > 0 ? `?${params}` : ""}`;
  }

  /** `/setup`, `/session` and `/password`: each answers with a session. Throws StudioFailure. */
  async enter(method: "POST" | "PUT", path: string, body: object): Promise<void> {
    this.#become(await this.#send<StudioState>(method, path, body));
  }

  async leave(): Promise<void> {
    await this.#send("DELETE", "/session", {});
    await this.load();
  }

  /** A stream was told that there is no session: the pages ask for one. */
  noteEnd(): void {
    if (!this.#access || this.#access.isEnded) return;
    this.#access = { ...this.#access, isEnded: true };
    this.#tell();
  }

  async #ask<T>(method: Method, path: string, body: object | undefined, signal?: AbortSignal): Promise<T> {
    const operator = this.#signedIn()?.operator.id;
    if (this.#access?.isEnded) await this.#untilSignedIn(operator, signal);
    try {
      return await this.#send<T>(method, path, body, signal);
    } catch (error) {
      if (!(error instanceof StudioFailure)) throw error;
      if (error.status === 401 && operator !== undefined) {
        this.noteEnd();
        await this.#untilSignedIn(operator, signal);
      } else if (error.status === 403 && /CSRF/.test(error.message)) {
        // Another tab has signed in anew: the cookie is its, and so must the token be.
        await this.load();
        if (this.#signedIn()?.operator.id !== operator) throw error;
      } else throw error;
    }
    return this.#send<T>(method, path, body, signal);
  }

  /** Nothing that one operator began is carried out as another. */
  async #untilSignedIn(operator: string | undefined, signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#waiting.add(resolve);
      signal?.addEventListener("abort", () => {
        this.#waiting.delete(resolve);
        reject(signal.reason);
      });
    });
    if (this.#signedIn()?.operator.id === operator) return;
    throw new StudioFailure(401, { code: 209, error: "Somebody else has signed in meanwhile." });
  }

  async #send<T>(method: Method, path: string, body: object | undefined, signal?: AbortSignal): Promise<T> {
    if (method !== "GET") return this.#exchange(method, path, body, signal);
    return withTimeout(
      (options) => this.#exchange<T>(method, path, body, options.signal),
      signal ?? new AbortController().signal,
      READ_MS,
    );
  }

  async #exchange<T>(
    method: Method,
    path: string,
    body: object | undefined,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const csrf = this.#signedIn()?.csrf;
    const response = await fetch(MOUNT + path, {
      method,
      credentials: "same-origin",
      headers: {
        accept: "application/json",
        ...(method !== "GET" && { "content-type": body instanceof Blob ? BYTES : "application/json" }),
        ...(method !== "GET" && csrf !== undefined && { "x-purse-csrf": csrf }),
      },
      ...(body && { body: body instanceof Blob ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw new StudioFailure(0, { code: 100, error: "The server did not answer." });
    });
    const text = await response.text();
    if (!response.ok) throw new StudioFailure(response.status, errorIn(text, response.status));
    const answer: T = JSON.parse(text);
    return answer;
  }

  #signedIn(): SignedIn | undefined {
    const state = this.#access?.state;
    return state?.state === "signedIn" ? state : undefined;
  }

  /** Somebody who has signed in, or the knowledge that nobody has. */
  #become(state: StudioState): void {
    const isLost = this.#signedIn() !== undefined && state.state !== "signedIn" && this.#waiting.size > 0;
    this.#access = isLost && this.#access ? { ...this.#access, isEnded: true } : { state, isEnded: false };
    this.#tell();
    if (state.state !== "signedIn") return;
    for (const go of this.#waiting) go();
    this.#waiting.clear();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** How long a read may take, in ms: the database counts and explains within that. */
const READ_MS = 30_000;
const MOUNT = "/studio/api";
const BYTES = "application/octet-stream";

function errorIn(text: string, status: number): StudioError {
  try {
    const said: StudioError = JSON.parse(text);
    if (typeof said.error === "string") return said;
  } catch {
    // What stands between here and the server may answer with a page of its own.
  }
  return { code: 1, error: `The server answered ${status}.` };
}
