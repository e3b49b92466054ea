import type { Leases } from "../lease.ts";
import type { Sql } from "./session.ts";

export const LEASES_TABLES: string[] = [
  `CREATE TABLE purse_leases (
    name text COLLATE "C" PRIMARY KEY, holder text COLLATE "C" NOT NULL, fence bigint NOT NULL,
    expires_at timestamptz NOT NULL) WITH (fillfactor = 50)`,
  "CREATE SEQUENCE purse_fences",
];

/**
 * A term continues as long as it is renewed before it expires; after that a new one begins, even for the same holder.
 */
const ACQUIRE = `INSERT INTO purse_leases AS known (name, holder, fence, expires_at)
  VALUES (?, ?, nextval('purse_fences'), clock_timestamp() + ?::float8 * interval '1 millisecond')
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at,
    fence = CASE WHEN known.holder = excluded.holder AND known.expires_at > clock_timestamp()
      THEN known.fence ELSE excluded.fence END
  WHERE known.holder = excluded.holder OR known.expires_at <= clock_timestamp()
  RETURNING fence`;

const RELEASE = "UPDATE purse_leases SET expires_at = '-infinity' WHERE name = ? AND holder = ?";

/** Checks that a term has not expired. The lock prevents it from ending before the transaction. */
export const ASSERT_LEASE =
  "SELECT 1 FROM purse_leases WHERE name = ? AND holder = ? AND fence = ? AND expires_at > clock_timestamp() FOR SHARE";

export function createLeases(sql: Sql): Leases {
  return {
    async acquire(name, holder, ttlMs) {
      const [row] = await sql.run(ACQUIRE, [name, holder, ttlMs]);
      return row && Number(row[0]);
    },
    async release(name, holder) {
      await sql.run(RELEASE, [name, holder]);
    },
  };
}
