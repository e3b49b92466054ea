import { MAX_EMAIL_LENGTH } from "@purse/protocol";

/**
 * A single mailbox address without display name, list, group, comment, quoted part, spaces or control characters.
 * Letters of every language are allowed.
 */
const ADDRESS = /^[^\s\p{Cc}\p{Cf}@<>()[\]\\,;:"']+@[^\s\p{Cc}\p{Cf}@<>()[\]\\,;:"']+$/u;
export function isEmailAddress(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_EMAIL_LENGTH && ADDRESS.test(value);
}
