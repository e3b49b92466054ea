import type { JsonObject } from "@purse/protocol";
import type { RequestOptions } from "../transport.ts";

/** What a provider knows about a user: for wallets `{id, signature, data}`. */
export type AuthData = JsonObject;

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

const registered = new Map<string, AuthProvider>();

export function registerProvider(provider: AuthProvider): void {
  registered.set(provider.getAuthType(), provider);
}

/** Those registered under the names of these identities. */
export function providersOf(authData: object): AuthProvider[] {
  return Object.keys(authData).flatMap((name) => registered.get(name) ?? []);
}

export function providerName(provider: string | AuthProvider): string {
  return typeof provider === "string" ? provider : provider.getAuthType();
}

/** Asks a provider, known by itself or by its name, who the person is. Nothing of a name that nobody registered. */
export function identify(provider: string | AuthProvider): Promise<AuthData> | AuthData {
  const known = typeof provider === "string" ? registered.get(provider) : provider;
  if (!known) return {};
  return new Promise((resolve, reject) => {
    known.authenticate({
      success: (_, authData) => resolve(authData),
      error: (_, error) => reject(error),
    });
  });
}
