import type { DatabaseConfig } from "./database.ts";

/**
 * What a process does: answer HTTP requests, serve live queries, run scheduled jobs, pushes and on-chain events, or index
 * chains.
 */
export const ROLES = ["api", "live", "worker", "chain"] as const;
export type Role = (typeof ROLES)[number];

/** Reads roles that are separated by commas. Throws Error that says what is allowed. */
export function parseRoles(text: string): Role[] {
  const names = text.split(",").map((name) => name.trim());
  const roles = ROLES.filter((role) => names.includes(role));
  if (roles.length === 0 || roles.length !== new Set(names).size)
    throw new Error(`it must be one or several of ${ROLES.join(", ")}, separated by commas`);
  return roles;
}

/** Throws Error if there cannot be other processes that have the roles which this one lacks. */
export function assertRolesPossible(roles: readonly Role[], { kind }: DatabaseConfig): void {
  if (kind === "sqlite" && roles.length < ROLES.length) {
    throw new Error(
      `PURSE_ROLES is "${roles.join(",")}": the other roles need other processes, and therefore PostgreSQL (PURSE_DATABASE_URL=postgres://…)`,
    );
  }
}
