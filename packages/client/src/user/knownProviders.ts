import type { AuthData, AuthProvider } from "./authProviders.ts";

const known = new Map<string, AuthProvider>();

export function registerProvider(provider: AuthProvider): void {
  known.set(provider.getAuthType(), provider);
}

/** The registered providers of the auth data. */
export function providersOf(authData: object): AuthProvider[] {
  return Object.keys(authData).flatMap((name) => known.get(name) ?? []);
}

/** Requests auth data from a provider, passed by itself or by name; empty for an unregistered name. */
export function identify(provider: string | AuthProvider): Promise<AuthData> | AuthData {
  const asked = typeof provider === "string" ? known.get(provider) : provider;
  if (!asked) return {};
  return new Promise((resolve, reject) => {
    asked.authenticate({
      success: (_, authData) => resolve(authData),
      error: (_, error) => reject(error),
    });
  });
}
