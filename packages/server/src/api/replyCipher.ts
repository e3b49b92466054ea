import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { JsonObject } from "@purse/protocol";
import type { ReplayedFields } from "../data/objects/changedFields.ts";
import type { IdempotentResponse } from "../data/objects/idempotentWrite.ts";
import type { StoredReply } from "../database/requestRecords.ts";

export interface ReplyCipher {
  encrypt(text: string): string;
  decrypt(ciphertext: string): string | undefined;
}

export interface DecryptedReply extends IdempotentResponse {
  /** The object whose fields are part of the reply. */
  of?: Omit<ReplayedFields, "values">;
  values?: JsonObject;
}

/** Returns undefined if a reply is not stored, or was encrypted for another request. */
export function decryptReplies(answer: string, cipher: ReplyCipher): DecryptedReply[] | undefined {
  if (answer === "") return undefined;
  const stored: StoredReply[] = JSON.parse(answer);
  const replies = stored.flatMap(({ text, echo }): DecryptedReply[] => {
    const decrypted = cipher.decrypt(text);
    if (decrypted === undefined) return [];
    const reply: IdempotentResponse = JSON.parse(decrypted);
    return [{ ...reply, ...(echo && { values: echo }) }];
  });
  return replies.length === stored.length ? replies : undefined;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Replies may contain session tokens: they can be decrypted only with the id of the request, which is not stored. */
export function createReplyCipher(clientRequestId: string, content: string): ReplyCipher {
  const derive = (): Buffer => Buffer.from(hkdfSync("sha256", clientRequestId, content, "answer", 32));
  let secret: Buffer | undefined;
  return {
    encrypt(text) {
      secret ??= derive();
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", secret, iv);
      const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString("base64");
    },
    decrypt(ciphertext) {
      secret ??= derive();
      const bytes = Buffer.from(ciphertext, "base64");
      const decipher = createDecipheriv("aes-256-gcm", secret, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      try {
        return (
          decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8")
        );
      } catch {
        // Encrypted for another request.
        return undefined;
      }
    },
  };
}
