import type { DatabaseConfig } from "./database.ts";

/** Throws Error if Valkey is configured although no other process could share its state. */
export function assertValkeyPossible(valkeyUrl: string | undefined, { kind }: DatabaseConfig): void {
  if (valkeyUrl === undefined || kind !== "sqlite") return;
  throw new Error(
    "PURSE_VALKEY_URL is set: it is for several processes, which need PostgreSQL (PURSE_DATABASE_URL=postgres://…)",
  );
}
