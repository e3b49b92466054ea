import { z } from "zod";
import { LOG_LEVELS } from "../core/logger.ts";
import { parseFilesStore } from "./fileUpload.ts";
import {
  addresses,
  flag,
  integer,
  list,
  oneOf,
  parsed,
  secret,
  serverUrl,
  setting,
  size,
  smtpUrl,
  text,
  webUrl,
} from "./settingTypes.ts";
import { siweDomains } from "./siweDomains.ts";
import { magicKey, publicId, relayUrl } from "./walletServices.ts";

/**
 * All settings and defaults of the server by their keys in purse.config.ts. A setting that is added here can be set by
 * its flag, its environment variable and its key, is validated, documented, and a property of `Config`.
 */
export const settingsSchema = z.strictObject({
  port: setting(integer(0, 65_535), {
    group: "Server",
    flag: "--port",
    env: "PURSE_PORT",
    default: "1337",
    description: "Port of the app, the Parse API, live queries and the data API. 0 picks a free port.",
  }),
  host: setting(text(), {
    group: "Server",
    flag: "--host",
    env: "PURSE_HOST",
    default: "127.0.0.1",
    description: "IP address to listen on; 0.0.0.0 accepts connections from other machines.",
  }),
  dataDir: setting(text(), {
    group: "Server",
    flag: "--data-dir",
    env: "PURSE_DATA_DIR",
    default: "./data",
    description: "Directory of the database, the keys, uploaded files and the local chain.",
  }),
  environment: setting(oneOf(["development", "production"]), {
    group: "Server",
    flag: "--env",
    env: "PURSE_ENV",
    description: "development or production. Default: NODE_ENV, or else development.",
  }),
  appId: setting(text().optional(), {
    group: "Keys",
    env: "PURSE_APP_ID",
    description: "Application ID of the clients. Generated on first start if unset, and stored in keys.json.",
  }),
  masterKey: setting(secret(8).optional(), {
    group: "Keys",
    env: "PURSE_MASTER_KEY",
    description:
      "Bypasses all permission checks. Generated on first start if unset, and stored in keys.json.",
    isSecret: true,
  }),
  readOnlyMasterKey: setting(secret(8).optional(), {
    group: "Keys",
    env: "PURSE_READ_ONLY_MASTER_KEY",
    description: "Grants read-only access to everything. Disabled if unset.",
    isSecret: true,
  }),
  masterKeyIps: setting(addresses(), {
    group: "Keys",
    env: "PURSE_MASTER_KEY_IPS",
    default: "127.0.0.1,::1",
    description: "IP addresses and ranges that may use the master keys, separated by commas; * for all.",
  }),
  serverUrl: setting(serverUrl().optional(), {
    group: "Server",
    env: "PURSE_SERVER_URL",
    description: "Public URL of the Parse API, ending in /server. Default: derived from host and port.",
  }),
  trustedProxies: setting(addresses().optional(), {
    group: "Server",
    env: "PURSE_TRUSTED_PROXIES",
    description:
      "Trusted proxies, whose X-Forwarded-For, X-Forwarded-Host and X-Forwarded-Proto are used, separated by commas: IP addresses, ranges (10.0.0.0/8), loopback, linklocal, uniquelocal; * for all. Default: none.",
  }),
  filesUrl: setting(serverUrl().optional(), {
    group: "Files",
    env: "PURSE_FILES_URL",
    description:
      "URL of this server on a separate origin for files, ending in /server; files are served there only. Default: the server's URL.",
  }),
  filesStore: setting(parsed(parseFilesStore), {
    group: "Files",
    env: "PURSE_FILES_STORE",
    default: "disk",
    description:
      "File storage: disk (in the data directory), or s3://bucket/prefix?region=…&endpoint=https://…&forcePathStyle=1 with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.",
    isSecret: true,
  }),
  maxUploadSize: setting(size(), {
    group: "Files",
    env: "PURSE_MAX_UPLOAD_SIZE",
    default: "20mb",
    description: "Maximum size of an uploaded file, such as 20mb.",
  }),
  maxUploadsPerClient: setting(integer(1, 10_000), {
    group: "Files",
    env: "PURSE_MAX_UPLOADS_PER_CLIENT",
    default: "50",
    description:
      "Maximum unfinished uploads per user, or per IP address without a user, including paused resumable uploads.",
  }),
  maxUploadBytesPerClient: setting(size(), {
    group: "Files",
    env: "PURSE_MAX_UPLOAD_BYTES_PER_CLIENT",
    default: "1gb",
    description: "Maximum total size of those uploads, such as 1gb; a single upload is always allowed.",
  }),
  maxUploadBytes: setting(size(), {
    group: "Files",
    env: "PURSE_MAX_UPLOAD_BYTES",
    default: "10gb",
    description: "Maximum total size of the unfinished uploads of all clients, such as 10gb.",
  }),
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
  databaseConnections: setting(integer(2, 500), {
    group: "Database and queries",
    env: "PURSE_DATABASE_CONNECTIONS",
    default: "10",
    description: "Maximum PostgreSQL connections of each process.",
  }),
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
  cloud: setting(text().optional(), {
    group: "Cloud code and webhooks",
    flag: "--cloud",
    env: "PURSE_CLOUD",
    description: "Cloud code file, TypeScript or JavaScript. Default: ./cloud/main.ts if it exists.",
  }),
  devChain: setting(flag(), {
    group: "Chains",
    env: "PURSE_DEV_CHAIN",
    description: "1 starts the local chain.",
    default: { development: "1", production: "0" },
  }),
  devChainPort: setting(integer(0, 65_535), {
    group: "Chains",
    env: "PURSE_DEV_CHAIN_PORT",
    default: "8545",
    description: "Port of the local chain. 0 picks a free port.",
  }),
  logLevel: setting(oneOf(LOG_LEVELS), {
    group: "Server",
    flag: "--log-level",
    env: "PURSE_LOG_LEVEL",
    default: "info",
    description: `Minimum log level: ${LOG_LEVELS.join(", ")}.`,
  }),
  logFormat: setting(oneOf(["text", "json"]), {
    group: "Server",
    env: "PURSE_LOG_FORMAT",
    description: "text or json.",
    default: { development: "text", production: "json" },
  }),
  maxBodyBytes: setting(integer(1_024, 2 ** 31 - 1), {
    group: "Request bodies",
    env: "PURSE_MAX_BODY_BYTES",
    default: String(20 * 1024 * 1024),
    description: "Maximum size of a request body, in bytes.",
  }),
  maxAnonymousBodyBytes: setting(integer(1_024, 2 ** 31 - 1), {
    group: "Request bodies",
    env: "PURSE_MAX_ANONYMOUS_BODY_BYTES",
    default: String(4 * 1024 * 1024),
    description: "Maximum size of a request body of clients without a session or a key, in bytes.",
  }),
  bodyMemoryBytes: setting(integer(1_048_576, 2 ** 40), {
    group: "Request bodies",
    env: "PURSE_BODY_MEMORY_BYTES",
    default: String(256 * 1024 * 1024),
    description:
      "Memory for the bodies of all open requests together, in bytes; one IP address may use a sixth of it.",
  }),
  requestTimeoutMs: setting(integer(100, 3_600_000), {
    group: "Server",
    env: "PURSE_REQUEST_TIMEOUT_MS",
    default: "60000",
    description: "How long a client may take to send a request, or to read the response, in ms.",
  }),
  functionTimeoutMs: setting(integer(10, 3_600_000), {
    group: "Cloud code and webhooks",
    env: "PURSE_FUNCTION_TIMEOUT_MS",
    default: "30000",
    description: "Timeout of cloud functions and triggers, in ms.",
  }),
  cloudMemoryMb: setting(integer(32, 65_536), {
    group: "Cloud code and webhooks",
    env: "PURSE_CLOUD_MEMORY_MB",
    default: "512",
    description: "Memory limit of cloud code, in MiB; it is restarted when it exceeds the limit.",
  }),
  webhookKey: setting(secret(8).optional(), {
    group: "Cloud code and webhooks",
    env: "PURSE_WEBHOOK_KEY",
    description:
      "Sent to webhooks as X-Parse-Webhook-Key and used to sign requests to them (X-Purse-Signature). If unset, neither header is sent.",
    isSecret: true,
  }),
  allowPrivateHooks: setting(flag(), {
    group: "Cloud code and webhooks",
    env: "PURSE_ALLOW_PRIVATE_HOOKS",
    default: "0",
    description: "1 allows webhooks at loopback, private and link-local addresses.",
  }),
  ipfsGateway: setting(webUrl().optional(), {
    group: "IPFS and NFT metadata",
    env: "PURSE_IPFS_GATEWAY",
    description:
      "IPFS gateway, such as https://host/ipfs, for NFT metadata that this server does not have itself.",
    isSecret: true,
  }),
  ipfsRpcUrl: setting(webUrl().optional(), {
    group: "IPFS and NFT metadata",
    env: "PURSE_IPFS_RPC_URL",
    description:
      "RPC URL of a Kubo node, such as http://host:5001, that pins content of this server and is used instead of a gateway.",
    isSecret: true,
  }),
  allowPrivateMetadata: setting(flag(), {
    group: "IPFS and NFT metadata",
    env: "PURSE_ALLOW_PRIVATE_METADATA",
    default: "0",
    description: "1 allows reading NFT metadata from loopback, private and link-local addresses.",
  }),
  maxLimit: setting(integer(1, 1_000_000), {
    group: "Database and queries",
    env: "PURSE_MAX_LIMIT",
    default: "10000",
    description: "Maximum number of objects in a response.",
  }),
  queryTimeoutMs: setting(integer(100, 3_600_000), {
    group: "Database and queries",
    env: "PURSE_QUERY_TIMEOUT_MS",
    default: "10000",
    description: "Time limit of a database query, in ms; a query that exceeds it fails with error 124.",
  }),
  maxAnswerBytes: setting(integer(64 * 1024, 2 ** 28), {
    group: "Database and queries",
    env: "PURSE_MAX_ANSWER_BYTES",
    default: String(64 * 1024 * 1024),
    description: "Maximum size of a query response, in bytes; a query that exceeds it fails with error 116.",
  }),
  maxAnswersBytes: setting(integer(64 * 1024, 2 ** 40), {
    group: "Database and queries",
    env: "PURSE_MAX_ANSWERS_BYTES",
    default: String(128 * 1024 * 1024),
    description: "Maximum size of all responses in memory together, in bytes; further large responses wait.",
  }),
  requireApiKey: setting(flag(), {
    group: "Data API",
    env: "PURSE_REQUIRE_API_KEY",
    description:
      "1 requires an API key for the data API (/api/v2 and its cloud functions); the functions are also open to signed-in users and to pages of this server and of siweDomains.",
    default: { development: "0", production: "1" },
  }),
  apiKeyLimit: setting(integer(1, 1_000_000_000), {
    group: "Data API",
    env: "PURSE_API_KEY_LIMIT",
    default: "3000",
    description: "Requests to the data API per minute with one API key, unless the key has its own limit.",
  }),
  addressLimit: setting(integer(1, 1_000_000_000), {
    group: "Data API",
    env: "PURSE_ADDRESS_LIMIT",
    default: "1500",
    description:
      "Requests to the data API per minute from one IP address without an API key. In development, localhost is not limited.",
  }),
  limitAccounts: setting(flag(), {
    group: "Rate limits",
    env: "PURSE_LIMIT_ACCOUNTS",
    description:
      "1 applies the default rate limits per IP address and account to sign-ups, failed logins, emails, sign-in messages and new roles; accountLimits of the config file overrides them.",
    default: { development: "0", production: "1" },
  }),
  hashConcurrency: setting(integer(1, 1_024).optional(), {
    group: "Users and sessions",
    env: "PURSE_HASH_CONCURRENCY",
    description:
      "Passwords that are hashed concurrently. Default: half of libuv's threads (UV_THREADPOOL_SIZE, 4), but not more than the number of processors.",
  }),
  hashQueue: setting(integer(1, 100_000), {
    group: "Users and sessions",
    env: "PURSE_HASH_QUEUE",
    default: "512",
    description:
      "Maximum passwords that wait to be hashed, a quarter of them per IP address; more are rejected with HTTP 429 or 503.",
  }),
  metricsIps: setting(addresses(), {
    group: "Server",
    env: "PURSE_METRICS_IPS",
    default: "127.0.0.1,::1",
    description:
      "IP addresses and ranges that may read /metrics without the master key, separated by commas; * for all.",
  }),
  keyFetchSecret: setting(secret(20).optional(), {
    group: "Compatibility with old clients",
    env: "PURSE_KEY_FETCH_SECRET",
    description:
      "Secret with which old Node.js clients fetch keyFetchApiKey from /api/publics/apiKeys; they send it as moralis-secret. Disabled if unset.",
    isSecret: true,
  }),
  keyFetchApiKey: setting(secret(20).optional(), {
    group: "Compatibility with old clients",
    env: "PURSE_KEY_FETCH_API_KEY",
    description: "The API key that is fetched with keyFetchSecret, created by `npm run purse -- keys add`.",
    isSecret: true,
  }),
  tracking: setting(flag(), {
    group: "Compatibility with old clients",
    env: "PURSE_TRACKING",
    default: "0",
    description:
      "1 counts usage events of old clients (/api/functions/trackEvent) in /metrics; they are not sent anywhere else. 0 rejects them.",
  }),
  idempotencyPaths: setting(list(parsePatterns), {
    group: "Repeated requests",
    env: "PURSE_IDEMPOTENCY_PATHS",
    default: ".*",
    description:
      "Path patterns, separated by commas, on which requests with an X-Parse-Request-Id are idempotent.",
  }),
  idempotencySeconds: setting(integer(1, 86_400), {
    group: "Repeated requests",
    env: "PURSE_IDEMPOTENCY_SECONDS",
    default: "300",
    description: "How long request IDs are remembered, in seconds.",
  }),
  enableAnonymousUsers: setting(flag(), {
    group: "Users and sessions",
    env: "PURSE_ENABLE_ANONYMOUS_USERS",
    default: "1",
    description: "1 allows anonymous users.",
  }),
  appName: setting(text(), {
    group: "Email",
    env: "PURSE_APP_NAME",
    default: "Purse",
    description: "Application name shown in emails.",
  }),
  smtpUrl: setting(smtpUrl().optional(), {
    group: "Email",
    env: "PURSE_SMTP_URL",
    description:
      "Mail server, such as smtp://user:password@host:587. Default: an outbox folder in development.",
    isSecret: true,
  }),
  verifyUserEmails: setting(flag(), {
    group: "Email",
    env: "PURSE_VERIFY_USER_EMAILS",
    default: "0",
    description: "1 sends users a link to verify their email address.",
  }),
  preventLoginWithUnverifiedEmail: setting(flag(), {
    group: "Email",
    env: "PURSE_PREVENT_LOGIN_WITH_UNVERIFIED_EMAIL",
    default: "0",
    description: "1 allows users to sign in only after verifying their email address.",
  }),
  emailTokenSeconds: setting(integer(1, 31_536_000), {
    group: "Email",
    env: "PURSE_EMAIL_TOKEN_SECONDS",
    default: "86400",
    description: "Lifetime of email verification links, in seconds.",
  }),
  revokeSessionOnPasswordReset: setting(flag(), {
    group: "Users and sessions",
    env: "PURSE_REVOKE_SESSION_ON_PASSWORD_RESET",
    default: "1",
    description: "1 revokes a user's other sessions when the password changes.",
  }),
  sessionSeconds: setting(integer(60, 10 * 365 * 24 * 3_600), {
    group: "Users and sessions",
    env: "PURSE_SESSION_SECONDS",
    default: String(365 * 24 * 3_600),
    description: "Lifetime of a session, in seconds.",
  }),
  signatureSeconds: setting(integer(10, 86_400), {
    group: "Users and sessions",
    env: "PURSE_SIGNATURE_SECONDS",
    default: "300",
    description: "Maximum age of a wallet sign-in signature, in seconds.",
  }),
  siweDomains: setting(list(siweDomains).optional(), {
    group: "Server",
    env: "PURSE_SIWE_DOMAINS",
    description:
      "Hosts of your sites, separated by commas; localhost:* for every port. They may request wallet sign-ins (EIP-4361) and use the data API's functions without an API key. Default: the host of the server's URL, in development also localhost.",
  }),
  walletConnectProjectId: setting(parsed(publicId).optional(), {
    group: "Wallet services of the app",
    env: "PURSE_WALLETCONNECT_PROJECT_ID",
    description:
      "Public project ID at WalletConnect (Reown). Enables wallets on other devices in the app, if its library is installed. Disabled if unset.",
  }),
  walletConnectRelayUrl: setting(parsed(relayUrl).optional(), {
    group: "Wallet services of the app",
    env: "PURSE_WALLETCONNECT_RELAY_URL",
    description: "Relay, such as wss://host, instead of WalletConnect's own.",
  }),
  web3AuthClientId: setting(parsed(publicId).optional(), {
    group: "Wallet services of the app",
    env: "PURSE_WEB3AUTH_CLIENT_ID",
    description:
      "Public client ID at Web3Auth. Enables wallets with a social login in the app, if its library is installed. Disabled if unset.",
  }),
  web3AuthNetwork: setting(parsed(publicId), {
    group: "Wallet services of the app",
    env: "PURSE_WEB3AUTH_NETWORK",
    default: "sapphire_mainnet",
    description: "Web3Auth network of the client ID.",
  }),
  magicApiKey: setting(parsed(magicKey).optional(), {
    group: "Wallet services of the app",
    env: "PURSE_MAGIC_API_KEY",
    description:
      "Publishable API key at Magic (pk_…). Enables wallets by email in the app. Disabled if unset.",
  }),
  magicNetwork: setting(parsed(publicId), {
    group: "Wallet services of the app",
    env: "PURSE_MAGIC_NETWORK",
    default: "mainnet",
    description: "Chain of the Magic wallets, by Magic's name for it.",
  }),
});

export type SettingKey = keyof typeof settingsSchema.shape;
/** The validated settings. */
export type SettingValues = z.output<typeof settingsSchema>;
/** The settings as the config file contains them. */
export type SettingInputs = z.input<typeof settingsSchema>;

export const CHAIN_SETTINGS: readonly { env: string; description: string }[] = [
  {
    env: "PURSE_CHAIN_<NAME>_RPC_URL",
    description:
      "RPC URL of a chain (ETH, POLYGON, BSC_TESTNET, …), http(s) or ws(s); several are separated by commas.",
  },
  { env: "PURSE_CHAIN_<NAME>_ID", description: "Chain ID, for chains without a known name." },
  { env: "PURSE_CHAIN_<NAME>_START_BLOCK", description: "First block to index." },
  {
    env: "PURSE_CHAIN_<NAME>_SCOPE",
    description:
      "chain (default) indexes every block; wallets indexes the activity of known addresses on demand.",
  },
];

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

function parsePatterns(value: string): RegExp[] {
  try {
    return value.split(",").map((each) => new RegExp(`^(?:${each.trim()})$`));
  } catch {
    throw new Error("it must be regular expressions, separated by commas");
  }
}
