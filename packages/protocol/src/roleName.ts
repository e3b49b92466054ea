import { MAX_NAME_LENGTH } from "./limits.ts";

const ROLE_NAME = /^[0-9a-zA-Z\-_ ]+$/;

/** Whether a role can have a name: letters, digits, hyphens, underscores and spaces. */
export function isRoleName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && ROLE_NAME.test(name);
}
