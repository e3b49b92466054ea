import { MAX_EMAIL_LENGTH } from "@purse/protocol";

/**
 * One mailbox and nothing else, as mail servers take it: no display name, list, group, comment or quoted part, no space
 * or control character. Letters of every language are allowed.
 */
const ADDRESS = /^[^\s\p{Cc}\p{Cf}@<>()[\]\\,;:"']+@[^\s\p{Cc}\p{Cf}@<>()[\]\\,;:"']+$/u;
export function isEmailAddress(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_EMAIL_LENGTH && ADDRESS.test(value);
}
