/** The key of `authData` with which users sign in by a passkey, and the provider of their sessions. */
export const PASSKEY_PROVIDER = "passkey";
