import { canUseTls, type PostgresServer, startPostgres } from "./postgresServer.ts";

/** Settings of a server from which changes can be decoded; `kept` is the most of its log that it keeps for that. */
export function decodable(kept = "512MB"): string[] {
  return ["wal_level=logical", `max_slot_wal_keep_size=${kept}`];
}

/** Starts a server from which changes can be decoded, also of many databases, and with TLS where that is possible. */
export function startDecodablePostgres(): Promise<PostgresServer> {
  const slots = ["max_replication_slots=60", "max_wal_senders=60"];
  return startPostgres({
    withTls: canUseTls(),
    more: [...decodable(), "autovacuum=off", "jit=off", ...slots],
  });
}
