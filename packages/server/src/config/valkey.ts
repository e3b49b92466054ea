import type { DatabaseConfig } from "./database.ts";

export const VALKEY_URL_FORMAT =
  "it must be valkey://user:password@host:6379/0, or valkeys://… with TLS (redis:// and rediss:// are the same)";

/** Whether a URL has a host, and no path but the number of a database. */
export function namesValkeyDatabase(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, pathname } = new URL(url);
  return hostname !== "" && /^(?:\/\d*)?$/.test(pathname);
}

/** Throws Error if Valkey is configured although no other process could share its state. */
export function assertValkeyPossible(valkeyUrl: string | undefined, { kind }: DatabaseConfig): void {
  if (valkeyUrl === undefined || kind !== "sqlite") return;
  throw new Error(
    "PURSE_VALKEY_URL is set: it is for several processes, which need PostgreSQL (PURSE_DATABASE_URL=postgres://…)",
  );
}
