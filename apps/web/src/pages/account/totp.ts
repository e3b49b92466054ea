const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Generates a random 160-bit TOTP secret in base32 (RFC 4226). */
export function newTotpSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return Array.from(bytes, (byte) => BASE32.charAt(byte % BASE32.length)).join("");
}

/** The `otpauth:` URI of the QR code. */
export function totpUri(secret: string, username: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(username.slice(0, 60))}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}
