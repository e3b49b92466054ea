import { authenticate, deactivateWeb3, type EnableOptions, type SigningOptions, User } from "@purse/client";
import { type Callbacks, withCallbacks } from "./callbacks.ts";
import { NotAuthenticatedError, ValidationError } from "./errors.ts";
import { Store } from "./store.ts";

export type AuthState =
  | "undefined"
  | "unauthenticated"
  | "authenticated"
  | "authenticating"
  | "logging_out"
  | "error";

export interface AuthSnapshot {
  state: AuthState;
  error: unknown;
  user: User | null;
  /** Grows when the user's fields change, since the user itself stays the same object. */
  version: number;
  isUserUpdating: boolean;
  userError: unknown;
}

export type UserData = Record<string, unknown>;

const STRING_FIELDS = ["password", "email", "username"] as const;

/** Who is signed in, and how that changes: one machine for a provider and all hooks below it. */
export class Auth {
  readonly store = new Store<AuthSnapshot>({
    state: "undefined",
    error: null,
    user: null,
    version: 0,
    isUserUpdating: false,
    userError: null,
  });

  /** Takes up the user that was kept from before. */
  async restore(): Promise<void> {
    const user = await User.currentAsync();
    this.store.set({ state: user ? "authenticated" : "unauthenticated", user, error: null });
  }

  authenticate(options: EnableOptions & SigningOptions & Callbacks<User> = {}): Promise<User | undefined> {
    const { onSuccess, onError, onComplete, throwOnError, ...rest } = options;
    const callbacks = { onSuccess, onError, onComplete, throwOnError };
    return withCallbacks(() => this.#signIn(() => authenticate(rest), null), callbacks);
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
      return this.#signIn(() => User.signUp(username, password, fields), this.store.get().user);
    }, callbacks);
  }

  login(
    username: string,
    password: string,
    { usePost = true, ...callbacks }: Callbacks<User> & { usePost?: boolean } = {},
  ): Promise<User | undefined> {
    return withCallbacks(
      () => this.#signIn(() => User.logIn(username, password, { usePost }), this.store.get().user),
      callbacks,
    );
  }

  /** A log-out that fails leaves the user signed in, with the error told. */
  logout(callbacks: Callbacks<void> = {}): Promise<unknown> {
    return withCallbacks(async () => {
      const { user } = this.store.get();
      this.store.set({ state: "logging_out", error: null });
      try {
        await User.logOut();
        await deactivateWeb3();
        this.store.set({ state: "unauthenticated", user: null });
      } catch (error) {
        this.store.set({ state: "error", error, user });
        throw error;
      }
    }, callbacks);
  }

  /** Saves fields of the user; what cannot be saved is taken back. */
  async setUserData(data: UserData, callbacks: Callbacks<User> = {}): Promise<User | undefined> {
    const { user } = this.store.get();
    if (!user) throw new NotAuthenticatedError("User needs to be authenticated before setting new data");
    assertStrings(data);
    return withCallbacks(
      () =>
        this.#update(async () => {
          const given = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
          try {
            return await user.save(given);
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
    this.store.set({ user, version: this.store.get().version + 1 });
  }

  async #signIn(work: () => Promise<User>, userOnFailure: User | null): Promise<User> {
    this.store.set({ state: "authenticating", error: null });
    try {
      const user = await work();
      this.store.set({ state: "authenticated", user, version: this.store.get().version + 1 });
      return user;
    } catch (error) {
      this.store.set({ state: "error", error, user: userOnFailure });
      throw error;
    }
  }

  async #update(work: () => Promise<User>): Promise<User> {
    this.store.set({ isUserUpdating: true, userError: null });
    try {
      return await work();
    } catch (error) {
      this.store.set({ userError: error });
      throw error;
    } finally {
      this.store.set({ isUserUpdating: false, version: this.store.get().version + 1 });
    }
  }
}

function assertStrings(data: UserData): void {
  for (const field of STRING_FIELDS) {
    if (data[field] === undefined || typeof data[field] === "string") continue;
    throw new ValidationError(`${field} can only be a string type`);
  }
}
