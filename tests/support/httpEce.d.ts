/** What of `http_ece`, the encryption of Web Push (RFC 8188), the tests use; it comes with web-push. */
declare module "http_ece" {
  import type { ECDH } from "node:crypto";
  export function decrypt(
    body: Buffer,
    parameters: { version: "aes128gcm"; privateKey: ECDH; authSecret: string },
  ): Buffer;
}
