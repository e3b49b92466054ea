import { flag, integer, oneOf, parsed, setting, urlWith } from "../settingTypes.ts";
import { namesValkeyDatabase, VALKEY_URL_FORMAT } from "../valkey.ts";

/** The database, and what clients may do with classes and objects. */
export const dataSettings = {
  databaseUrl: setting(parsed(parseDatabaseUrl).optional(), {
    group: "Database and queries",
    env: "PURSE_DATABASE_URL",
    description:
      "postgres://user:password@host:5432/database, or sqlite:path/to/file. Default: purse.sqlite in the data directory.",
    isSecret: true,
  }),
  databaseReplicaUrl: setting(parsed(parseDatabaseUrl).optional(), {
    group: "Database and queries",
    env: "PURSE_DATABASE_REPLICA_URL",
    description:
      "Replica of the PostgreSQL database, for queries whose readPreference is SECONDARY, SECONDARY_PREFERRED or NEAREST.",
    isSecret: true,
  }),
  databaseReplicaMaxLagSeconds: setting(integer(2, 600), {
    group: "Database and queries",
    env: "PURSE_DATABASE_REPLICA_MAX_LAG_SECONDS",
    default: "10",
    description: "How far the replica may be behind the primary, in seconds; otherwise the primary is read.",
  }),
  databaseDirectUrl: setting(parsed(parseDatabaseUrl).optional(), {
    group: "Database and queries",
    env: "PURSE_DATABASE_DIRECT_URL",
    description:
      "The PostgreSQL database without a pooler, for notifications and migrations. Set it if PURSE_DATABASE_URL is a pooler in transaction mode, such as PgBouncer.",
    isSecret: true,
  }),
  databaseConnections: setting(integer(2, 500), {
    group: "Database and queries",
    env: "PURSE_DATABASE_CONNECTIONS",
    default: "10",
    description: "Maximum PostgreSQL connections of each process.",
  }),
  changes: setting(oneOf(["triggers", "decoding"]), {
    group: "Database and queries",
    env: "PURSE_CHANGES",
    default: "triggers",
    description:
      "How live queries learn of changes on PostgreSQL: by triggers, or by logical decoding, which writes do not wait for, and which needs wal_level = logical.",
  }),
  valkeyUrl: setting(
    urlWith(/^(?:redis|valkey)s?:$/, VALKEY_URL_FORMAT)
      .refine(namesValkeyDatabase, { error: VALKEY_URL_FORMAT })
      .optional(),
    {
      group: "Database and queries",
      env: "PURSE_VALKEY_URL",
      description:
        "valkey://user:password@host:6379 of Valkey or Redis, which counts rate limits and passes messages between processes instead of PostgreSQL. While it is unavailable, PostgreSQL is used.",
      isSecret: true,
    },
  ),
  clickHouseUrl: setting(
    urlWith(/^https?:$/, "it must be https://user:password@host:8443/database").optional(),
    {
      group: "Chains",
      env: "PURSE_CLICKHOUSE_URL",
      description:
        "https://user:password@host:8443/database of ClickHouse, which stores the transactions, logs, transfers and sales of chain indexes instead of the database. Setting or removing it rebuilds the indexes.",
      isSecret: true,
    },
  ),
  liveSocketsPerAddress: setting(integer(1, 1_000_000), {
    group: "Rate limits",
    env: "PURSE_LIVE_SOCKETS_PER_ADDRESS",
    default: "2000",
    description: "Maximum live query connections per IP address.",
  }),
  allowPublicExplain: setting(flag(), {
    group: "Database and queries",
    env: "PURSE_ALLOW_PUBLIC_EXPLAIN",
    description: "1 allows clients to explain queries; 0 requires the master key.",
    default: { development: "1", production: "0" },
  }),
  allowClientClassCreation: setting(flag(), {
    group: "Classes and permissions",
    env: "PURSE_ALLOW_CLIENT_CLASS_CREATION",
    description: "1 allows clients to create classes by saving objects.",
    default: { development: "1", production: "0" },
  }),
  allowClientAddField: setting(flag(), {
    group: "Classes and permissions",
    env: "PURSE_ALLOW_CLIENT_ADD_FIELD",
    description: "1 allows clients to add fields by saving objects, unless the class restricts it.",
    default: { development: "1", production: "0" },
  }),
  maxClientClasses: setting(integer(0, 1_000_000), {
    group: "Classes and permissions",
    env: "PURSE_MAX_CLIENT_CLASSES",
    default: "500",
    description:
      "Total number of classes up to which clients create new ones by saving objects. The master key and the schemas API are not limited.",
  }),
  maxClientFields: setting(integer(1, 100_000), {
    group: "Classes and permissions",
    env: "PURSE_MAX_CLIENT_FIELDS",
    default: "1000",
    description:
      "Number of fields of a class up to which clients add new ones by saving objects. The master key and the schemas API are not limited.",
  }),
  allowClientClassList: setting(flag(), {
    group: "Classes and permissions",
    env: "PURSE_ALLOW_CLIENT_CLASS_LIST",
    description:
      "1 allows clients to list the classes that they may query, with the fields that they may see.",
    default: { development: "1", production: "0" },
  }),
  allowAnonymousRoles: setting(flag(), {
    group: "Classes and permissions",
    env: "PURSE_ALLOW_ANONYMOUS_ROLES",
    description: "1 allows clients to create roles without signing in.",
    default: { development: "1", production: "0" },
  }),
  lockSchemas: setting(flag(), {
    group: "Classes and permissions",
    env: "PURSE_LOCK_SCHEMAS",
    default: "0",
    description: "1 locks schemas: only code can change them, not the schemas API.",
  }),
  allowCustomObjectId: setting(flag(), {
    group: "Classes and permissions",
    env: "PURSE_ALLOW_CUSTOM_OBJECT_ID",
    default: "0",
    description: "1 allows clients to set the objectId of new objects.",
  }),
};

function parseDatabaseUrl(
  value: string,
): { kind: "sqlite"; path: string } | { kind: "postgres"; url: string } {
  if (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value)) return { kind: "postgres", url: value };
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(value)?.[1];
  if (path) return { kind: "sqlite", path };
  throw new Error(
    "it must be postgres://user:password@host:5432/database (with a password's special characters escaped), or sqlite:path/to/file",
  );
}
