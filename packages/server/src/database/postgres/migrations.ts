import { CHANGE_LOG_FUNCTIONS, CHANGE_LOG_TABLES, END_OF_DECODING } from "./changeLogLayout.ts";
import { LEASES_TABLES } from "./leases.ts";
import { PREVIOUS_CHANGE_LOG_TABLES } from "./previousChangeLog.ts";
import { WRITE_SESSIONS_TABLE } from "./transactions.ts";

/** Its columns are those that rate-limiter-flexible expects. */
export const RATE_LIMITS_TABLE = "purse_rate_limits";

/**
 * Migrations of the internal tables. Each runs once. `purse_layout` contains the number of completed ones, and the number
 * that a version has to know to use the database.
 */
export const MIGRATIONS: readonly string[][] = [
  [
    `CREATE TABLE purse_classes (class_name text COLLATE "C" PRIMARY KEY, schema text NOT NULL)`,
    `CREATE TABLE purse_claims (
      scope text COLLATE "C" NOT NULL, value text COLLATE "C" NOT NULL, owner text COLLATE "C" NOT NULL,
      expires_at bigint, PRIMARY KEY (scope, value))`,
    "CREATE INDEX purse_claims_owner ON purse_claims (scope, owner)",
    "CREATE INDEX purse_claims_expiry ON purse_claims (expires_at) WHERE expires_at IS NOT NULL",
    `CREATE TABLE purse_relations (
      class_name text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, owner_id text COLLATE "C" NOT NULL,
      related_id text COLLATE "C" NOT NULL, PRIMARY KEY (class_name, key, owner_id, related_id))`,
    "CREATE INDEX purse_relations_related ON purse_relations (class_name, key, related_id)",
    // Expression indexes require an immutable function.
    `CREATE FUNCTION purse_without_accents(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
     $$ SELECT regexp_replace(normalize(value, NFD), '[\u0300-\u036f]', '', 'g') $$`,
  ],
  [
    `CREATE TABLE purse_counts (
      scope text COLLATE "C" NOT NULL, value text COLLATE "C" NOT NULL, n integer NOT NULL, until bigint NOT NULL,
      PRIMARY KEY (scope, value))`,
  ],
  PREVIOUS_CHANGE_LOG_TABLES,
  [
    WRITE_SESSIONS_TABLE,
    ...LEASES_TABLES,
    `CREATE TABLE purse_requests (
      key text COLLATE "C" PRIMARY KEY, content text NOT NULL, owner text NOT NULL, running_until bigint NOT NULL,
      expires_at bigint NOT NULL, repeatable boolean NOT NULL, answer text)`,
    "CREATE INDEX purse_requests_expiry ON purse_requests (expires_at)",
  ],
  // Lost with a crash of the database, which is acceptable for windows of minutes, and much cheaper.
  [
    `CREATE UNLOGGED TABLE ${RATE_LIMITS_TABLE} (
      key text COLLATE "C" PRIMARY KEY, points integer NOT NULL, expire bigint NOT NULL) WITH (fillfactor = 50)`,
  ],
  ["CREATE SEQUENCE purse_notifications"],
  CHANGE_LOG_TABLES,
  // A table that is not used any more.
  [],
  CHANGE_LOG_FUNCTIONS,
  END_OF_DECODING,
];

/**
 * Versions that know this number of migrations can use the database: later ones only add what they do not need. A
 * migration that removes or changes something sets it to its own number, one release after its code stopped using that.
 */
export const COMPATIBLE_MIGRATIONS = 6;
