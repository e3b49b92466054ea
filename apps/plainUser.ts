/*
 * In the apps, this file takes the place of the client's `encryptedUser.ts`, whose ciphers are a twentieth of the first load.
 * The apps do not encrypt the stored user.
 */

export function enableEncryptedUser(): void {
  throw new Error("The apps do not encrypt the stored user.");
}

export function isEncryptedUserEnabled(): boolean {
  return false;
}
