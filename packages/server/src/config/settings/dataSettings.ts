import { setting } from "@purse/kernel";
import { flag, integer, oneOf, parsed, settingGroup, urlWith } from "../settingTypes.ts";
import { namesValkeyDatabase, VALKEY_URL_FORMAT } from "../valkey.ts";

/** The database, and what clients may do with classes and objects. */
export const dataSettings = {
  ...settingGroup("Database and queries", {
    databaseUrl: setting(parsed(parseDatabaseUrl).optional(), {
      description:
        "postgres://user:password@host:5432/database, or sqlite:path/to/file. Default: purse.sqlite in the data directory.",
      isSecret: true,
    }),
    databaseReplicaUrl: setting(parsed(parseDatabaseUrl).optional(), {
      description:
        "Replica of the PostgreSQL database, for queries whose readPreference is SECONDARY, SECONDARY_PREFERRED or NEAREST.",
      isSecret: true,
    }),
    databaseReplicaMaxLagSeconds: setting(integer(2, 600), {
      default: "10",
      description:
        "How far the replica may be behind the primary, in seconds; otherwise the primary is read.",
    }),
    databaseDirectUrl: setting(parsed(parseDatabaseUrl).optional(), {
      description:
        "The PostgreSQL database without a pooler, for notifications and migrations. Set it if PURSE_DATABASE_URL is a pooler in transaction mode, such as PgBouncer.",
      isSecret: true,
    }),
    databaseConnections: setting(integer(2, 500), {
      default: "10",
      description: "Maximum PostgreSQL connections of each process.",
    }),
    valkeyUrl: setting(
      urlWith(/^(?:redis|valkey)s?:$/, VALKEY_URL_FORMAT)
        .refine(namesValkeyDatabase, { error: VALKEY_URL_FORMAT })
        .optional(),
      {
        description:
          "valkey://user:password@host:6379 of Valkey or Redis, which counts rate limits and passes messages between processes instead of PostgreSQL. While it is unavailable, PostgreSQL is used.",
        isSecret: true,
        package: "@purse/valkey",
      },
    ),
    allowPublicExplain: setting(flag(), {
      description: "1 allows clients to explain queries; 0 requires the master key.",
      default: { development: "1", production: "0" },
    }),
  }),
  ...settingGroup("Chains", {
    clickHouseUrl: setting(
      urlWith(/^https?:$/, "it must be https://user:password@host:8443/database").optional(),
      {
        env: "PURSE_CLICKHOUSE_URL",
        description:
          "https://user:password@host:8443/database of ClickHouse, which stores the transactions, logs, transfers and sales of chain indexes instead of the database. Setting or removing it rebuilds the indexes.",
        isSecret: true,
        package: "@purse/clickhouse",
      },
    ),
  }),
  ...settingGroup("Rate limits", {
    liveSocketsPerAddress: setting(integer(1, 1_000_000), {
      default: "2000",
      description: "Maximum live query connections per IP address.",
    }),
  }),
  ...settingGroup("Classes and permissions", {
    classAccess: setting(oneOf(["closed", "open"]).optional(), {
      description:
        "Who has access to a new class for which no permissions are set: closed only operators, and objects without an ACL belong to the user who creates them; open everyone. Default: closed in production for databases that were created with this setting, unless compatibility is parse; open otherwise.",
    }),
    allowClientClassCreation: setting(flag(), {
      description:
        "1 allows clients to create classes by saving objects. While classes are closed by default (PURSE_CLASS_ACCESS), these are closed, too.",
      default: { development: "1", production: "0" },
    }),
    allowClientAddField: setting(flag(), {
      description: "1 allows clients to add fields by saving objects, unless the class restricts it.",
      default: { development: "1", production: "0" },
    }),
    maxClientClasses: setting(integer(0, 1_000_000), {
      default: "500",
      description:
        "Total number of classes up to which clients create new ones by saving objects. The master key and the schemas API are not limited.",
    }),
    maxClientFields: setting(integer(1, 100_000), {
      default: "1000",
      description:
        "Number of fields of a class up to which clients add new ones by saving objects. The master key and the schemas API are not limited.",
    }),
    allowClientClassList: setting(flag(), {
      description:
        "1 allows clients to list the classes that they may query, with the fields that they may see.",
      default: { development: "1", production: "0" },
    }),
    allowAnonymousRoles: setting(flag(), {
      description: "1 allows clients to create roles without signing in.",
      default: { development: "1", production: "0" },
    }),
    lockSchemas: setting(flag(), {
      default: "0",
      description: "1 locks schemas: only code can change them, not the schemas API.",
    }),
    allowCustomObjectId: setting(flag(), {
      default: "0",
      description: "1 allows clients to set the objectId of new objects.",
    }),
    objectIdSize: setting(integer(10, 64), {
      default: "10",
      description: "Number of characters of the objectId of new objects; ids of Moralis had 24.",
    }),
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
