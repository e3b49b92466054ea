import { createAddressMatcher } from "../core/http/address.ts";
import { LOG_LEVELS } from "../core/logger.ts";
import { parseFilesStore, parseSize } from "./fileUpload.ts";
import { siweDomains } from "./siweDomains.ts";
import { magicKey, publicId, relayUrl } from "./walletServices.ts";

/** A setting of the operator: by flag, environment variable or key of purse.config.ts. */
export interface Setting<T> {
  flag?: `--${string}`;
  env: `PURSE_${string}`;
  /** The default, as text; undefined if the description explains it. */
  defaultText?: string;
  description: string;
  /** Throws Error that says what is allowed. */
  parse(text: string): T;
}

/** All settings and defaults of the server by their keys in purse.config.ts. */
export const SETTINGS = {
  port: {
    flag: "--port",
    env: "PURSE_PORT",
    defaultText: "1337",
    description: "Port of the app, the Parse API, live queries and the data API. 0 picks a free port.",
    parse: integer(0, 65_535),
  },
  host: {
    flag: "--host",
    env: "PURSE_HOST",
    defaultText: "127.0.0.1",
    description: "IP address to listen on; 0.0.0.0 accepts connections from other machines.",
    parse: text(),
  },
  dataDir: {
    flag: "--data-dir",
    env: "PURSE_DATA_DIR",
    defaultText: "./data",
    description: "Directory of the database, the keys, uploaded files and the local chain.",
    parse: text(),
  },
  environment: {
    flag: "--env",
    env: "PURSE_ENV",
    description: "development or production. Default: NODE_ENV, or else development.",
    parse: oneOf(["development", "production"]),
  },
  appId: {
    env: "PURSE_APP_ID",
    description: "Application ID of the clients. Generated on first start if unset, and stored in keys.json.",
    parse: text(),
  },
  masterKey: {
    env: "PURSE_MASTER_KEY",
    description:
      "Bypasses all permission checks. Generated on first start if unset, and stored in keys.json.",
    parse: secret(8),
  },
  readOnlyMasterKey: {
    env: "PURSE_READ_ONLY_MASTER_KEY",
    description: "Grants read-only access to everything. Disabled if unset.",
    parse: secret(8),
  },
  masterKeyIps: {
    env: "PURSE_MASTER_KEY_IPS",
    defaultText: "127.0.0.1,::1",
    description: "IP addresses and ranges that may use the master keys, separated by commas; * for all.",
    parse: addresses,
  },
  serverUrl: {
    env: "PURSE_SERVER_URL",
    description: "Public URL of the Parse API, ending in /server. Default: derived from host and port.",
    parse: serverUrl,
  },
  trustedProxies: {
    env: "PURSE_TRUSTED_PROXIES",
    description:
      "Trusted proxies, whose X-Forwarded-For, X-Forwarded-Host and X-Forwarded-Proto are used, separated by commas: IP addresses, ranges (10.0.0.0/8), loopback, linklocal, uniquelocal; * for all. Default: none.",
    parse: addresses,
  },
  filesUrl: {
    env: "PURSE_FILES_URL",
    description:
      "URL of this server on a separate origin for files, ending in /server; files are served there only. Default: the server's URL.",
    parse: serverUrl,
  },
  filesStore: {
    env: "PURSE_FILES_STORE",
    defaultText: "disk",
    description:
      "File storage: disk (in the data directory), or s3://bucket/prefix?region=…&endpoint=https://…&forcePathStyle=1 with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.",
    parse: parseFilesStore,
  },
  maxUploadSize: {
    env: "PURSE_MAX_UPLOAD_SIZE",
    defaultText: "20mb",
    description: "Maximum size of an uploaded file, such as 20mb.",
    parse: parseSize,
  },
  maxUploadsPerClient: {
    env: "PURSE_MAX_UPLOADS_PER_CLIENT",
    defaultText: "50",
    description:
      "Maximum unfinished uploads per user, or per IP address without a user, including paused resumable uploads.",
    parse: integer(1, 10_000),
  },
  maxUploadBytesPerClient: {
    env: "PURSE_MAX_UPLOAD_BYTES_PER_CLIENT",
    defaultText: "1gb",
    description: "Maximum total size of those uploads, such as 1gb; a single upload is always allowed.",
    parse: parseSize,
  },
  maxUploadBytes: {
    env: "PURSE_MAX_UPLOAD_BYTES",
    defaultText: "10gb",
    description: "Maximum total size of the unfinished uploads of all clients, such as 10gb.",
    parse: parseSize,
  },
  databaseUrl: {
    env: "PURSE_DATABASE_URL",
    description:
      "postgres://user:password@host:5432/database, or sqlite:path/to/file. Default: purse.sqlite in the data directory.",
    parse: databaseUrl,
  },
  databaseReplicaUrl: {
    env: "PURSE_DATABASE_REPLICA_URL",
    description:
      "Replica of the PostgreSQL database, for queries whose readPreference is SECONDARY, SECONDARY_PREFERRED or NEAREST.",
    parse: databaseUrl,
  },
  databaseConnections: {
    env: "PURSE_DATABASE_CONNECTIONS",
    defaultText: "10",
    description: "Maximum PostgreSQL connections of each process.",
    parse: integer(2, 500),
  },
  liveSocketsPerAddress: {
    env: "PURSE_LIVE_SOCKETS_PER_ADDRESS",
    defaultText: "2000",
    description: "Maximum live query connections per IP address.",
    parse: integer(1, 1_000_000),
  },
  allowPublicExplain: {
    env: "PURSE_ALLOW_PUBLIC_EXPLAIN",
    description: "1 allows clients to explain queries; 0 requires the master key. Default: 1 in development.",
    parse: flag,
  },
  allowClientClassCreation: {
    env: "PURSE_ALLOW_CLIENT_CLASS_CREATION",
    description: "1 allows clients to create classes by saving objects. Default: 1 in development.",
    parse: flag,
  },
  allowClientAddField: {
    env: "PURSE_ALLOW_CLIENT_ADD_FIELD",
    description:
      "1 allows clients to add fields by saving objects, unless the class restricts it. Default: 1 in development.",
    parse: flag,
  },
  maxClientClasses: {
    env: "PURSE_MAX_CLIENT_CLASSES",
    defaultText: "500",
    description:
      "Total number of classes up to which clients create new ones by saving objects. The master key and the schemas API are not limited.",
    parse: integer(0, 1_000_000),
  },
  maxClientFields: {
    env: "PURSE_MAX_CLIENT_FIELDS",
    defaultText: "1000",
    description:
      "Number of fields of a class up to which clients add new ones by saving objects. The master key and the schemas API are not limited.",
    parse: integer(1, 100_000),
  },
  allowClientClassList: {
    env: "PURSE_ALLOW_CLIENT_CLASS_LIST",
    description:
      "1 allows clients to list the classes that they may query, with the fields that they may see. Default: 1 in development.",
    parse: flag,
  },
  allowAnonymousRoles: {
    env: "PURSE_ALLOW_ANONYMOUS_ROLES",
    description: "1 allows clients to create roles without signing in. Default: 1 in development.",
    parse: flag,
  },
  lockSchemas: {
    env: "PURSE_LOCK_SCHEMAS",
    defaultText: "0",
    description: "1 locks schemas: only code can change them, not the schemas API.",
    parse: flag,
  },
  allowCustomObjectId: {
    env: "PURSE_ALLOW_CUSTOM_OBJECT_ID",
    defaultText: "0",
    description: "1 allows clients to set the objectId of new objects.",
    parse: flag,
  },
  cloud: {
    flag: "--cloud",
    env: "PURSE_CLOUD",
    description: "Cloud code file, TypeScript or JavaScript. Default: ./cloud/main.ts if it exists.",
    parse: text(),
  },
  devChain: {
    env: "PURSE_DEV_CHAIN",
    description: "1 starts the local chain. Default: 1 in development.",
    parse: flag,
  },
  devChainPort: {
    env: "PURSE_DEV_CHAIN_PORT",
    defaultText: "8545",
    description: "Port of the local chain. 0 picks a free port.",
    parse: integer(0, 65_535),
  },
  logLevel: {
    flag: "--log-level",
    env: "PURSE_LOG_LEVEL",
    defaultText: "info",
    description: `Minimum log level: ${LOG_LEVELS.join(", ")}.`,
    parse: oneOf(LOG_LEVELS),
  },
  logFormat: {
    env: "PURSE_LOG_FORMAT",
    description: "text or json. Default: text in development, json in production.",
    parse: oneOf(["text", "json"]),
  },
  maxBodyBytes: {
    env: "PURSE_MAX_BODY_BYTES",
    defaultText: String(20 * 1024 * 1024),
    description: "Maximum size of a request body, in bytes.",
    parse: integer(1_024, 2 ** 31 - 1),
  },
  maxAnonymousBodyBytes: {
    env: "PURSE_MAX_ANONYMOUS_BODY_BYTES",
    defaultText: String(4 * 1024 * 1024),
    description: "Maximum size of a request body of clients without a session or a key, in bytes.",
    parse: integer(1_024, 2 ** 31 - 1),
  },
  bodyMemoryBytes: {
    env: "PURSE_BODY_MEMORY_BYTES",
    defaultText: String(256 * 1024 * 1024),
    description:
      "Memory for the bodies of all open requests together, in bytes; one IP address may use a sixth of it.",
    parse: integer(1_048_576, 2 ** 40),
  },
  requestTimeoutMs: {
    env: "PURSE_REQUEST_TIMEOUT_MS",
    defaultText: "60000",
    description: "How long a client may take to send a request, or to read the response, in ms.",
    parse: integer(100, 3_600_000),
  },
  functionTimeoutMs: {
    env: "PURSE_FUNCTION_TIMEOUT_MS",
    defaultText: "30000",
    description: "Timeout of cloud functions and triggers, in ms.",
    parse: integer(10, 3_600_000),
  },
  cloudMemoryMb: {
    env: "PURSE_CLOUD_MEMORY_MB",
    defaultText: "512",
    description: "Memory limit of cloud code, in MiB; it is restarted when it exceeds the limit.",
    parse: integer(32, 65_536),
  },
  webhookKey: {
    env: "PURSE_WEBHOOK_KEY",
    description:
      "Sent to webhooks as X-Parse-Webhook-Key and used to sign requests to them (X-Purse-Signature). If unset, neither header is sent.",
    parse: secret(8),
  },
  allowPrivateHooks: {
    env: "PURSE_ALLOW_PRIVATE_HOOKS",
    defaultText: "0",
    description: "1 allows webhooks at loopback, private and link-local addresses.",
    parse: flag,
  },
  ipfsGateway: {
    env: "PURSE_IPFS_GATEWAY",
    description:
      "IPFS gateway, such as https://host/ipfs, for NFT metadata that this server does not have itself.",
    parse: webUrl,
  },
  ipfsRpcUrl: {
    env: "PURSE_IPFS_RPC_URL",
    description:
      "RPC URL of a Kubo node, such as http://host:5001, that pins content of this server and is used instead of a gateway.",
    parse: webUrl,
  },
  allowPrivateMetadata: {
    env: "PURSE_ALLOW_PRIVATE_METADATA",
    defaultText: "0",
    description: "1 allows reading NFT metadata from loopback, private and link-local addresses.",
    parse: flag,
  },
  maxLimit: {
    env: "PURSE_MAX_LIMIT",
    defaultText: "10000",
    description: "Maximum number of objects in a response.",
    parse: integer(1, 1_000_000),
  },
  queryTimeoutMs: {
    env: "PURSE_QUERY_TIMEOUT_MS",
    defaultText: "10000",
    description: "Time limit of a database query, in ms; a query that exceeds it fails with error 124.",
    parse: integer(100, 3_600_000),
  },
  maxAnswerBytes: {
    env: "PURSE_MAX_ANSWER_BYTES",
    defaultText: String(64 * 1024 * 1024),
    description: "Maximum size of a query response, in bytes; a query that exceeds it fails with error 116.",
    parse: integer(64 * 1024, 2 ** 28),
  },
  maxAnswersBytes: {
    env: "PURSE_MAX_ANSWERS_BYTES",
    defaultText: String(128 * 1024 * 1024),
    description: "Maximum size of all responses in memory together, in bytes; further large responses wait.",
    parse: integer(64 * 1024, 2 ** 40),
  },
  requireApiKey: {
    env: "PURSE_REQUIRE_API_KEY",
    description:
      "1 requires an API key for the data API (/api/v2 and its cloud functions); the functions are also open to signed-in users and to pages of this server and of siweDomains. Default: 1 in production.",
    parse: flag,
  },
  apiKeyLimit: {
    env: "PURSE_API_KEY_LIMIT",
    defaultText: "3000",
    description: "Requests to the data API per minute with one API key, unless the key has its own limit.",
    parse: integer(1, 1_000_000_000),
  },
  addressLimit: {
    env: "PURSE_ADDRESS_LIMIT",
    defaultText: "1500",
    description:
      "Requests to the data API per minute from one IP address without an API key. In development, localhost is not limited.",
    parse: integer(1, 1_000_000_000),
  },
  limitAccounts: {
    env: "PURSE_LIMIT_ACCOUNTS",
    description:
      "1 applies the default rate limits per IP address and account to sign-ups, failed logins, emails, sign-in messages and new roles; accountLimits of the config file overrides them. Default: 1 in production.",
    parse: flag,
  },
  hashConcurrency: {
    env: "PURSE_HASH_CONCURRENCY",
    description:
      "Passwords that are hashed concurrently. Default: half of libuv's threads (UV_THREADPOOL_SIZE, 4), but not more than the number of processors.",
    parse: integer(1, 1_024),
  },
  hashQueue: {
    env: "PURSE_HASH_QUEUE",
    defaultText: "512",
    description:
      "Maximum passwords that wait to be hashed, a quarter of them per IP address; more are rejected with HTTP 429 or 503.",
    parse: integer(1, 100_000),
  },
  metricsIps: {
    env: "PURSE_METRICS_IPS",
    defaultText: "127.0.0.1,::1",
    description:
      "IP addresses and ranges that may read /metrics without the master key, separated by commas; * for all.",
    parse: addresses,
  },
  keyFetchSecret: {
    env: "PURSE_KEY_FETCH_SECRET",
    description:
      "Secret with which old Node.js clients fetch keyFetchApiKey from /api/publics/apiKeys; they send it as moralis-secret. Disabled if unset.",
    parse: secret(20),
  },
  keyFetchApiKey: {
    env: "PURSE_KEY_FETCH_API_KEY",
    description: "The API key that is fetched with keyFetchSecret, created by `npm run purse -- keys add`.",
    parse: secret(20),
  },
  tracking: {
    env: "PURSE_TRACKING",
    defaultText: "0",
    description:
      "1 counts usage events of old clients (/api/functions/trackEvent) in /metrics; they are not sent anywhere else. 0 rejects them.",
    parse: flag,
  },
  idempotencyPaths: {
    env: "PURSE_IDEMPOTENCY_PATHS",
    defaultText: ".*",
    description:
      "Path patterns, separated by commas, on which requests with an X-Parse-Request-Id are idempotent.",
    parse: patterns,
  },
  idempotencySeconds: {
    env: "PURSE_IDEMPOTENCY_SECONDS",
    defaultText: "300",
    description: "How long request IDs are remembered, in seconds.",
    parse: integer(1, 86_400),
  },
  enableAnonymousUsers: {
    env: "PURSE_ENABLE_ANONYMOUS_USERS",
    defaultText: "1",
    description: "1 allows anonymous users.",
    parse: flag,
  },
  appName: {
    env: "PURSE_APP_NAME",
    defaultText: "Purse",
    description: "Application name shown in emails.",
    parse: text(),
  },
  smtpUrl: {
    env: "PURSE_SMTP_URL",
    description:
      "Mail server, such as smtp://user:password@host:587. Default: an outbox folder in development.",
    parse: smtpUrl,
  },
  verifyUserEmails: {
    env: "PURSE_VERIFY_USER_EMAILS",
    defaultText: "0",
    description: "1 sends users a link to verify their email address.",
    parse: flag,
  },
  preventLoginWithUnverifiedEmail: {
    env: "PURSE_PREVENT_LOGIN_WITH_UNVERIFIED_EMAIL",
    defaultText: "0",
    description: "1 allows users to sign in only after verifying their email address.",
    parse: flag,
  },
  emailTokenSeconds: {
    env: "PURSE_EMAIL_TOKEN_SECONDS",
    defaultText: "86400",
    description: "Lifetime of email verification links, in seconds.",
    parse: integer(1, 31_536_000),
  },
  revokeSessionOnPasswordReset: {
    env: "PURSE_REVOKE_SESSION_ON_PASSWORD_RESET",
    defaultText: "1",
    description: "1 revokes a user's other sessions when the password changes.",
    parse: flag,
  },
  sessionSeconds: {
    env: "PURSE_SESSION_SECONDS",
    defaultText: String(365 * 24 * 3_600),
    description: "Lifetime of a session, in seconds.",
    parse: integer(60, 10 * 365 * 24 * 3_600),
  },
  signatureSeconds: {
    env: "PURSE_SIGNATURE_SECONDS",
    defaultText: "300",
    description: "Maximum age of a wallet sign-in signature, in seconds.",
    parse: integer(10, 86_400),
  },
  siweDomains: {
    env: "PURSE_SIWE_DOMAINS",
    description:
      "Hosts of your sites, separated by commas; localhost:* for every port. They may request wallet sign-ins (EIP-4361) and use the data API's functions without an API key. Default: the host of the server's URL, in development also localhost.",
    parse: siweDomains,
  },
  walletConnectProjectId: {
    env: "PURSE_WALLETCONNECT_PROJECT_ID",
    description:
      "Public project ID at WalletConnect (Reown). Enables wallets on other devices in the app, if its library is installed. Disabled if unset.",
    parse: publicId,
  },
  walletConnectRelayUrl: {
    env: "PURSE_WALLETCONNECT_RELAY_URL",
    description: "Relay, such as wss://host, instead of WalletConnect's own.",
    parse: relayUrl,
  },
  web3AuthClientId: {
    env: "PURSE_WEB3AUTH_CLIENT_ID",
    description:
      "Public client ID at Web3Auth. Enables wallets with a social login in the app, if its library is installed. Disabled if unset.",
    parse: publicId,
  },
  web3AuthNetwork: {
    env: "PURSE_WEB3AUTH_NETWORK",
    defaultText: "sapphire_mainnet",
    description: "Web3Auth network of the client ID.",
    parse: publicId,
  },
  magicApiKey: {
    env: "PURSE_MAGIC_API_KEY",
    description:
      "Publishable API key at Magic (pk_…). Enables wallets by email in the app. Disabled if unset.",
    parse: magicKey,
  },
  magicNetwork: {
    env: "PURSE_MAGIC_NETWORK",
    defaultText: "mainnet",
    description: "Chain of the Magic wallets, by Magic's name for it.",
    parse: publicId,
  },
} satisfies Record<string, Setting<unknown>>;

export type SettingKey = keyof typeof SETTINGS;

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

function integer(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    throw new Error(`it must be a whole number from ${min} to ${max}`);
  };
}

function text(): (value: string) => string {
  return (value) => {
    if (value.trim() !== "") return value;
    throw new Error("it must not be empty");
  };
}

function secret(length: number): (value: string) => string {
  return (value) => {
    if (value.length >= length) return value;
    throw new Error(`it must have at least ${length} characters`);
  };
}

function oneOf<const T extends string>(choices: readonly T[]): (value: string) => T {
  return (value) => {
    const choice = choices.find((allowed) => allowed === value);
    if (choice !== undefined) return choice;
    throw new Error(`it must be one of ${choices.join(", ")}`);
  };
}

function flag(value: string): boolean {
  if (value === "1" || value === "true") return true;
  if (value === "0" || value === "false") return false;
  throw new Error("it must be 0 or 1");
}

function webUrl(value: string): string {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  throw new Error("it must be http://… or https://…");
}

function smtpUrl(value: string): string {
  if (URL.canParse(value) && /^smtps?:$/.test(new URL(value).protocol)) return value;
  throw new Error("it must be smtp://user:password@host:587 or smtps://…");
}

function patterns(value: string): RegExp[] {
  try {
    return value.split(",").map((each) => new RegExp(`^(?:${each.trim()})$`));
  } catch {
    throw new Error("it must be regular expressions, separated by commas");
  }
}

function addresses(value: string): string[] {
  const list = value.split(",").map((address) => address.trim());
  createAddressMatcher(list);
  return list;
}

function serverUrl(value: string): string {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value.replace(/\/+$/, "");
  throw new Error("it must be an http:// or https:// URL such as https://example.org/server");
}

function databaseUrl(value: string): { kind: "sqlite"; path: string } | { kind: "postgres"; url: string } {
  if (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value)) return { kind: "postgres", url: value };
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(value)?.[1];
  if (path) return { kind: "sqlite", path };
  throw new Error(
    "it must be postgres://user:password@host:5432/database (with a password's special characters escaped), or sqlite:path/to/file",
  );
}
