/**
 * One mailbox and nothing else, as mail servers take it: no display name, list, group, comment or quoted part, no space
 * or control character. Letters of every language are allowed.
 */
const ADDRESS = /^[^\s\p{Cc}\p{Cf}@<>()[\]\\,;:"']+@[^\s\p{Cc}\p{Cf}@<>()[\]\\,;:"']+$/u;
/** RFC 5321: 64 for the part before the @, 255 after it. */
const LONGEST = 320;

export function isEmailAddress(value: unknown): value is string {
  return typeof value === "string" && value.length <= LONGEST && ADDRESS.test(value);
}
