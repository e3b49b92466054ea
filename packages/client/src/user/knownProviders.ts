import type { AuthData, AuthProvider } from "./authProviders.ts";

const known = new Map<string, AuthProvider>();

export function registerProvider(provider: AuthProvider): void {
  known.set(provider.getAuthType(), provider);
}

/** Those registered under the names of these identities. */
export function providersOf(authData: object): AuthProvider[] {
  return Object.keys(authData).flatMap((name) => known.get(name) ?? []);
}

/** Asks a provider, known by itself or by its name, who the person is. Nothing of a name that nobody registered. */
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
