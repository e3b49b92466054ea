import type { AuthData, AuthProvider } from "./authProviders.ts";

const providers = new Map<string, AuthProvider>();

export function registerProvider(provider: AuthProvider): void {
  providers.set(provider.getAuthType(), provider);
}

/** The registered providers of the auth data. */
export function providersOf(authData: object): AuthProvider[] {
  return Object.keys(authData).flatMap((name) => providers.get(name) ?? []);
}

/** Requests auth data from a provider, passed by itself or by name; empty for an unregistered name. */
export function requestAuthData(provider: string | AuthProvider): Promise<AuthData> | AuthData {
  const resolved = typeof provider === "string" ? providers.get(provider) : provider;
  if (!resolved) return {};
  return new Promise((resolve, reject) => {
    resolved.authenticate({
      success: (_, authData) => resolve(authData),
      error: (_, error) => reject(error),
    });
  });
}
