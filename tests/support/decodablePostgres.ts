import { type PostgresServer, startPostgres } from "./postgresServer.ts";

/** Starts a server from which changes can be decoded, also of many databases. */
export function startDecodablePostgres(): Promise<PostgresServer> {
  const slots = ["max_replication_slots=60", "max_wal_senders=60", "max_slot_wal_keep_size=512MB"];
  return startPostgres({ more: ["wal_level=logical", "autovacuum=off", "jit=off", ...slots] });
}
