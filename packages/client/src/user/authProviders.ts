import type { JsonObject } from "@purse/protocol";
import type { RequestOptions } from "../transport.ts";

/** A provider's proof of a user's identity: for wallets `{id, signature, data}`. */
export type AuthData = JsonObject;

/** Options of signing in with a password. */
export interface LogInOptions extends RequestOptions {
  /** False sends the log-in as a GET. */
  usePost?: boolean;
  /** Auth data of other providers, in addition to the password. */
  authData?: AuthData;
}

/** A provider that signs in by itself, in Parse's callback style. */
export interface AuthProvider {
  getAuthType(): string;
  authenticate(callbacks: {
    success(provider: AuthProvider, authData: AuthData): void;
    error(provider: AuthProvider, error: unknown): void;
  }): void;
  /** Called with the current auth data, null if no user is signed in; returns false if the data is no longer valid. */
  restoreAuthentication?(authData: AuthData | null): boolean;
  deauthenticate?(): void;
}

export function providerName(provider: string | AuthProvider): string {
  return typeof provider === "string" ? provider : provider.getAuthType();
}
