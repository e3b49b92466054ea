import type { JsonObject } from "@purse/protocol";
import type { RequestOptions } from "../transport.ts";

/** What a provider knows about a user: for wallets `{id, signature, data}`. */
export type AuthData = JsonObject;

/** How somebody signs in with a password. */
export interface LogInOptions extends RequestOptions {
  /** False sends the log-in as a GET. */
  usePost?: boolean;
  /** What other providers ask for beside the password. */
  authData?: AuthData;
}

/** A provider that signs in by itself, in the old callback style. */
export interface AuthProvider {
  getAuthType(): string;
  authenticate(callbacks: {
    success(provider: AuthProvider, authData: AuthData): void;
    error(provider: AuthProvider, error: unknown): void;
  }): void;
  /** Told whose data is current, null for nobody; false where that data is of no use any more. */
  restoreAuthentication?(authData: AuthData | null): boolean;
  deauthenticate?(): void;
}

export function providerName(provider: string | AuthProvider): string {
  return typeof provider === "string" ? provider : provider.getAuthType();
}
