import {
  type AuthData,
  type EnableOptions,
  Moralis,
  onCurrentUser,
  onSessionEnd,
  type SigningOptions,
  type User,
} from "@purse/client";
import { type Callbacks, splitCallbacks, withCallbacks } from "./callbacks.ts";
import { type CallError, errorOf, NotAuthenticatedError, ValidationError } from "./errors.ts";
import { Store } from "./observableStore.ts";

/** The state of authentication; `undefined` until the stored session was read. */
export type AuthState =
  | "undefined"
  | "unauthenticated"
  | "authenticated"
  | "authenticating"
  | "logging_out"
  | "error";

export interface AuthSnapshot {
  state: AuthState;
  error: CallError | null;
  user: User | null;
  /** Incremented when the user's fields change, because the user object stays the same. */
  version: number;
  isUserUpdating: boolean;
  userError: CallError | null;
  /** Whether `logout` is running. */
  isLoggingOut: boolean;
  /** Whether the server has rejected the user's session; the user is kept, to sign in again. */
  hasSessionEnded: boolean;
}

/** Options of a login. */
export interface LoginOptions {
  /** False sends the log-in as a GET. */
  usePost?: boolean;
  /** Additional auth data, as a one-time code: `{ mfa: { token } }`. */
  authData?: AuthData;
}

/** Fields of a user by name. */
export type UserData = Record<string, unknown>;

const STRING_FIELDS = ["password", "email", "username"] as const;

/** The authentication state machine of a provider. */
export class Auth {
  readonly store = new Store<AuthSnapshot>({
    state: "undefined",
    error: null,
    user: null,
    version: 0,
    isUserUpdating: false,
    userError: null,
    isLoggingOut: false,
    hasSessionEnded: false,
  });
  readonly #core: typeof Moralis;
  /** The number of running operations that set the state themselves. */
  #pendingChanges = 0;

  constructor(core: typeof Moralis = Moralis) {
    this.#core = core;
  }

  /** Restores the stored user. */
  async restore(): Promise<void> {
    const user = await this.#core.User.currentAsync();
    if (this.#pendingChanges > 0) return;
    this.store.set({ state: user ? "authenticated" : "unauthenticated", user, error: null });
  }

  /** Subscribes to sign-ins and sign-outs outside the hooks or in other tabs. Returns a function that unsubscribes. */
  subscribe(): () => void {
    let stopped = false;
    const refresh = async () => {
      if (this.#pendingChanges > 0 || this.store.get().state === "undefined") return;
      const user = await this.#core.User.currentAsync();
      if (!stopped && this.#pendingChanges === 0) await this.#applyUser(user);
    };
    const stops = [onCurrentUser(() => void refresh()), onSessionEnd(() => this.#handleSessionEnd())];
    return () => {
      stopped = true;
      for (const stop of stops) stop();
    };
  }

  #handleSessionEnd(): void {
    if (this.store.get().user) this.store.set({ hasSessionEnded: true });
  }

  async #applyUser(user: User | null): Promise<void> {
    const before = this.store.get();
    if (before.user === null && user === null) return;
    const hasSessionEnded = before.hasSessionEnded && before.user === user;
    this.#set({ state: user ? "authenticated" : "unauthenticated", error: null, user, hasSessionEnded });
    // Signing out disconnects the wallet.
    if (!user) await this.#core.deactivateWeb3();
  }

  authenticate(options: EnableOptions & SigningOptions & Callbacks<User> = {}): Promise<User | undefined> {
    const [callbacks, rest] = splitCallbacks<User, EnableOptions & SigningOptions>(options);
    return withCallbacks(
      () =>
        this.#signIn(
          () => this.#core.authenticate(rest),
          () => this.#core.User.currentAsync(),
        ),
      callbacks,
    );
  }

  signup(
    username: string,
    password: string,
    email?: string,
    otherFields: UserData = {},
    callbacks: Callbacks<User> = {},
  ): Promise<User | undefined> {
    const fields = { ...otherFields, ...(email !== undefined && { email }) };
    return withCallbacks(async () => {
      assertStrings({ username, password, ...fields });
      return this.#signIn(
        () => this.#core.User.signUp(username, password, fields),
        () => this.store.get().user,
      );
    }, callbacks);
  }

  login(
    username: string,
    password: string,
    { usePost = true, authData, ...callbacks }: Callbacks<User> & LoginOptions = {},
  ): Promise<User | undefined> {
    return withCallbacks(
      () =>
        this.#signIn(
          () => this.#core.User.logIn(username, password, { usePost, ...(authData && { authData }) }),
          () => this.store.get().user,
        ),
      callbacks,
    );
  }

  /** If the logout fails, the user stays signed in and the error is set. */
  logout(callbacks: Callbacks<void> = {}): Promise<unknown> {
    return withCallbacks(async () => {
      const { user } = this.store.get();
      this.#pendingChanges += 1;
      this.store.set({ state: "authenticating", error: null, isLoggingOut: true });
      try {
        await this.#core.User.logOut();
        this.store.set({ state: "logging_out" });
        await this.#core.deactivateWeb3();
        this.#set({ state: "unauthenticated", user: null, hasSessionEnded: false });
      } catch (thrown) {
        const error = errorOf(thrown);
        this.store.set({ state: "error", error, user });
        throw error;
      } finally {
        this.#pendingChanges -= 1;
        this.store.set({ isLoggingOut: false });
      }
    }, callbacks);
  }

  /** Saves fields of the user; reverts them if the save fails. */
  async setUserData(data: UserData, callbacks: Callbacks<User> = {}): Promise<User | undefined> {
    const { user } = this.store.get();
    if (!user) throw new NotAuthenticatedError("User needs to be authenticated before setting new data");
    assertStrings(data);
    return withCallbacks(
      () =>
        this.#update(async () => {
          const fields = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
          try {
            return await user.save(fields);
          } catch (error) {
            user.revert();
            throw error;
          }
        }),
      callbacks,
    );
  }

  async refetchUserData(callbacks: Callbacks<User> = {}): Promise<User | undefined> {
    const { user } = this.store.get();
    if (!user) throw new NotAuthenticatedError("User needs to be authenticated before refetching");
    return withCallbacks(() => this.#update(() => user.fetch()), callbacks);
  }

  setUser(user: User | null): void {
    this.#set({ user });
  }

  async #signIn(
    work: () => Promise<User>,
    userOnFailure: () => User | null | Promise<User | null>,
  ): Promise<User> {
    this.#pendingChanges += 1;
    this.store.set({ state: "authenticating", error: null });
    try {
      const { user: before } = this.store.get();
      const user = await work();
      // A sign-up gives no session if the email address must be verified first. A user who was signed in before still is.
      if (user.getSessionToken() === undefined)
        this.#set({ state: before ? "authenticated" : "unauthenticated", user: before });
      else this.#set({ state: "authenticated", user, hasSessionEnded: false });
      return user;
    } catch (thrown) {
      const error = errorOf(thrown);
      this.store.set({ state: "error", error, user: await userOnFailure() });
      throw error;
    } finally {
      this.#pendingChanges -= 1;
    }
  }

  async #update(work: () => Promise<User>): Promise<User> {
    this.#pendingChanges += 1;
    this.store.set({ isUserUpdating: true, userError: null });
    try {
      return await work();
    } catch (thrown) {
      const error = errorOf(thrown);
      this.store.set({ userError: error });
      throw error;
    } finally {
      this.#pendingChanges -= 1;
      this.#set({ isUserUpdating: false });
    }
  }

  #set(change: Partial<AuthSnapshot>): void {
    this.store.set({ ...change, version: this.store.get().version + 1 });
  }
}

function assertStrings(data: UserData): void {
  for (const field of STRING_FIELDS) {
    if (data[field] === undefined || typeof data[field] === "string") continue;
    throw new ValidationError(`${field} can only be a string type`);
  }
}
