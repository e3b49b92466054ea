import { Passkeys, type User } from "@purse/client";
import { useEffect, useState } from "react";
import { AsyncCall } from "./asyncCall.ts";
import { type Callbacks, splitCallbacks, withCallbacks } from "./callbacks.ts";
import { useStore } from "./observableStore.ts";
import type { AsyncCallOptions } from "./useAsyncCall.ts";
import { useMoralisContext, useUserId } from "./useMoralis.ts";

/** A passkey of the user. */
export type OwnPasskey = Passkeys.Passkey;

/** The signed-in user's passkeys. */
class OwnPasskeys {
  readonly call = new AsyncCall<readonly OwnPasskey[]>([]);

  readonly fetch = (options: Callbacks<readonly OwnPasskey[]> & { signal?: AbortSignal } = {}) => {
    const [callbacks, { signal }] = splitCallbacks(options);
    return this.call.run(() => Passkeys.list(signal && { signal }), callbacks, signal);
  };

  /** Creates a passkey, for which the browser prompts the user, and registers it. */
  readonly register = (options: Callbacks<OwnPasskey> & Passkeys.RegisterPasskeyOptions = {}) => {
    const [callbacks, registration] = splitCallbacks<OwnPasskey, Passkeys.RegisterPasskeyOptions>(options);
    return this.#change(() => Passkeys.register(registration), callbacks);
  };

  readonly rename = (id: string, name: string, callbacks: Callbacks<OwnPasskey> = {}) =>
    this.#change(() => Passkeys.rename(id, name), callbacks);

  readonly remove = (id: string, callbacks: Callbacks<void> = {}) =>
    this.#change(() => Passkeys.remove(id), callbacks);

  clear(): void {
    this.call.setData([]);
  }

  #change<T>(work: () => Promise<T>, callbacks: Callbacks<T>): Promise<T | undefined> {
    return withCallbacks(async () => {
      const result = await work();
      await this.fetch({ throwOnError: true });
      return result;
    }, callbacks);
  }
}

/** Signs in with a passkey that the user chooses, with `autofill` in a field of the page. */
function signInWithPasskey(
  options: Callbacks<User> & Passkeys.GetCredentialOptions = {},
): Promise<User | undefined> {
  const [callbacks, request] = splitCallbacks<User, Passkeys.GetCredentialOptions>(options);
  return withCallbacks(() => Passkeys.signIn(request), callbacks);
}

/** Creates an account whose sign-in method is a new passkey, and signs in. */
function signUpWithPasskey(
  options: Callbacks<User> & Passkeys.PasskeySignUpOptions = {},
): Promise<User | undefined> {
  const [callbacks, account] = splitCallbacks<User, Passkeys.PasskeySignUpOptions>(options);
  return withCallbacks(() => Passkeys.signUp(account), callbacks);
}

/**
 * The user's passkeys, oldest first, functions that change them, `signIn` and `signUp`. `autoFetch: false` waits for `fetch()`.
 */
export function usePasskeys({ autoFetch = true }: AsyncCallOptions = {}) {
  const { isInitialized } = useMoralisContext();
  const userId = useUserId();
  const [own] = useState(() => new OwnPasskeys());
  const { data, error, isFetching } = useStore(own.call.store);
  useEffect(() => {
    if (!autoFetch || !isInitialized || !userId) return;
    const controller = new AbortController();
    void own.fetch({ signal: controller.signal });
    return () => {
      controller.abort();
      own.clear();
    };
  }, [own, autoFetch, isInitialized, userId]);
  const { fetch, register, rename, remove } = own;
  return {
    passkeys: data,
    error,
    isFetching,
    fetch,
    register,
    rename,
    remove,
    signIn: signInWithPasskey,
    signUp: signUpWithPasskey,
  };
}
