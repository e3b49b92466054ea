import { createAddressMatcher } from "../http/address.ts";
import { LOG_LEVELS } from "../observe/logger.ts";
import { parseFilesStore, parseSize } from "./fileUpload.ts";
import { siweDomains } from "./siweDomains.ts";
import { magicKey, publicId, relayUrl } from "./walletServices.ts";

/** One thing that an operator can set: by flag, environment variable or a key of purse.config.ts. */
export interface Setting<T> {
  flag?: `--${string}`;
  env: `PURSE_${string}`;
  /** What is taken when nothing is set, as text; undefined where the default is explained by `about`. */
  fallback?: string;
  about: string;
  /** Throws Error that says what is allowed. */
  parse(text: string): T;
}

/** Every setting and every default of the server, by its key in purse.config.ts. */
export const SETTINGS = {
  port: {
    flag: "--port",
    env: "PURSE_PORT",
    fallback: "1337",
    about: "Port of everything: app, Parse protocol, live queries, data service. 0 takes a free one.",
    parse: wholeNumber(0, 65_535),
  },
  host: {
    flag: "--host",
    env: "PURSE_HOST",
    fallback: "127.0.0.1",
    about: "Address to listen on; 0.0.0.0 lets other machines in.",
    parse: text(),
  },
  dataDir: {
    flag: "--data-dir",
    env: "PURSE_DATA_DIR",
    fallback: "./data",
    about: "Folder of the database, the keys, the local chain.",
    parse: text(),
  },
  environment: {
    flag: "--env",
    env: "PURSE_ENV",
    about: "development or production. Without it NODE_ENV, else development.",
    parse: oneOf(["development", "production"]),
  },
  appId: {
    env: "PURSE_APP_ID",
    about: "Application id of the clients. Without it: made at the first run, kept in keys.json.",
    parse: text(),
  },
  masterKey: {
    env: "PURSE_MASTER_KEY",
    about: "Passes every permission. Without it: made at the first run, kept in keys.json.",
    parse: secret(8),
  },
  readOnlyMasterKey: {
    env: "PURSE_READ_ONLY_MASTER_KEY",
    about: "Lets see everything and change nothing. Without it: there is no such key.",
    parse: secret(8),
  },
  masterKeyIps: {
    env: "PURSE_MASTER_KEY_IPS",
    fallback: "127.0.0.1,::1",
    about: "Addresses and ranges that may use the master keys, with commas; * for all.",
    parse: addresses,
  },
  serverUrl: {
    env: "PURSE_SERVER_URL",
    about:
      "Address of the Parse protocol as clients see it, ending in /server. Without it: from host and port.",
    parse: serverUrl,
  },
  trustedProxies: {
    env: "PURSE_TRUSTED_PROXIES",
    about:
      "Proxies whose X-Forwarded-For, X-Forwarded-Host and X-Forwarded-Proto are believed, with commas: addresses, ranges (10.0.0.0/8), loopback, linklocal, uniquelocal; * for all. Without it: none.",
    parse: addresses,
  },
  filesUrl: {
    env: "PURSE_FILES_URL",
    about:
      "Address of this server on an origin of its own for files, ending in /server: files are shown there and nowhere else. Without it: the server's URL.",
    parse: serverUrl,
  },
  filesStore: {
    env: "PURSE_FILES_STORE",
    fallback: "disk",
    about:
      "Where files are kept: disk (in the data folder), or s3://bucket/prefix?region=…&endpoint=https://…&forcePathStyle=1 with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.",
    parse: parseFilesStore,
  },
  maxUploadSize: {
    env: "PURSE_MAX_UPLOAD_SIZE",
    fallback: "20mb",
    about: "Largest file that may be uploaded, as in 20mb.",
    parse: parseSize,
  },
  maxUploadsPerClient: {
    env: "PURSE_MAX_UPLOADS_PER_CLIENT",
    fallback: "50",
    about:
      "Uploads that one user, or one address without a user, may have under way, resumable ones that wait included.",
    parse: wholeNumber(1, 10_000),
  },
  maxUploadBytesPerClient: {
    env: "PURSE_MAX_UPLOAD_BYTES_PER_CLIENT",
    fallback: "1gb",
    about: "Bytes of those uploads together, as in 1gb; one upload always fits.",
    parse: parseSize,
  },
  maxUploadBytes: {
    env: "PURSE_MAX_UPLOAD_BYTES",
    fallback: "10gb",
    about: "Bytes of the uploads under way of all clients together, as in 10gb.",
    parse: parseSize,
  },
  databaseUrl: {
    env: "PURSE_DATABASE_URL",
    about:
      "postgres://user:password@host:5432/database, or sqlite:path/to/file. Without it: purse.sqlite in the data folder.",
    parse: databaseUrl,
  },
  databaseReplicaUrl: {
    env: "PURSE_DATABASE_REPLICA_URL",
    about:
      "A replica of the PostgreSQL database, for queries whose readPreference is SECONDARY, SECONDARY_PREFERRED or NEAREST.",
    parse: databaseUrl,
  },
  databaseConnections: {
    env: "PURSE_DATABASE_CONNECTIONS",
    fallback: "10",
    about: "Connections to PostgreSQL, at most, of each process.",
    parse: wholeNumber(2, 500),
  },
  liveSocketsPerAddress: {
    env: "PURSE_LIVE_SOCKETS_PER_ADDRESS",
    fallback: "2000",
    about: "Live query connections of one address, at most.",
    parse: wholeNumber(1, 1_000_000),
  },
  allowPublicExplain: {
    env: "PURSE_ALLOW_PUBLIC_EXPLAIN",
    about: "1 tells clients how a query is answered, 0 only the operator. Without it: 1 in development.",
    parse: flag,
  },
  allowClientClassCreation: {
    env: "PURSE_ALLOW_CLIENT_CLASS_CREATION",
    about: "1 lets clients make classes by saving into them, 0 does not. Without it: 1 in development.",
    parse: flag,
  },
  allowClientAddField: {
    env: "PURSE_ALLOW_CLIENT_ADD_FIELD",
    about:
      "1 lets clients add fields by saving them, where a class does not say who may; 0 does not. Without it: 1 in development.",
    parse: flag,
  },
  maxClientClasses: {
    env: "PURSE_MAX_CLIENT_CLASSES",
    fallback: "500",
    about:
      "Classes in all up to which clients make new ones by saving into them. The master key and the schemas API make more.",
    parse: wholeNumber(0, 1_000_000),
  },
  maxClientFields: {
    env: "PURSE_MAX_CLIENT_FIELDS",
    fallback: "1000",
    about:
      "Fields of a class up to which clients add new ones by saving them. The master key and the schemas API add more.",
    parse: wholeNumber(1, 100_000),
  },
  allowClientClassList: {
    env: "PURSE_ALLOW_CLIENT_CLASS_LIST",
    about:
      "1 lets clients ask for the classes that they may find in, with the fields that they may see; 0 does not. Without it: 1 in development.",
    parse: flag,
  },
  allowAnonymousRoles: {
    env: "PURSE_ALLOW_ANONYMOUS_ROLES",
    about: "1 lets clients create roles without signing in, 0 does not. Without it: 1 in development.",
    parse: flag,
  },
  lockSchemas: {
    env: "PURSE_LOCK_SCHEMAS",
    fallback: "0",
    about: "1 leaves classes to the code: the schemas API changes nothing.",
    parse: flag,
  },
  allowCustomObjectId: {
    env: "PURSE_ALLOW_CUSTOM_OBJECT_ID",
    fallback: "0",
    about: "1 lets clients choose the objectId of new objects.",
    parse: flag,
  },
  cloud: {
    flag: "--cloud",
    env: "PURSE_CLOUD",
    about:
      "File with the cloud code, TypeScript or JavaScript. Without it: ./cloud/main.ts where there is one.",
    parse: text(),
  },
  devChain: {
    env: "PURSE_DEV_CHAIN",
    about: "1 starts the local chain, 0 does not. Without it: 1 in development.",
    parse: flag,
  },
  devChainPort: {
    env: "PURSE_DEV_CHAIN_PORT",
    fallback: "8545",
    about: "Port of the local chain. 0 takes a free one.",
    parse: wholeNumber(0, 65_535),
  },
  logLevel: {
    flag: "--log-level",
    env: "PURSE_LOG_LEVEL",
    fallback: "info",
    about: `The least important messages to write: ${LOG_LEVELS.join(", ")}.`,
    parse: oneOf(LOG_LEVELS),
  },
  logFormat: {
    env: "PURSE_LOG_FORMAT",
    about: "text or json. Without it: text in development, json in production.",
    parse: oneOf(["text", "json"]),
  },
  maxBodyBytes: {
    env: "PURSE_MAX_BODY_BYTES",
    fallback: String(20 * 1024 * 1024),
    about: "Largest request body, in bytes.",
    parse: wholeNumber(1_024, 2 ** 31 - 1),
  },
  maxAnonymousBodyBytes: {
    env: "PURSE_MAX_ANONYMOUS_BODY_BYTES",
    fallback: String(4 * 1024 * 1024),
    about: "Largest request body of clients without a session or a key, in bytes.",
    parse: wholeNumber(1_024, 2 ** 31 - 1),
  },
  bodyMemoryBytes: {
    env: "PURSE_BODY_MEMORY_BYTES",
    fallback: String(256 * 1024 * 1024),
    about:
      "Memory for the bodies of all open requests together, in bytes; the clients of one address may take a sixth of it.",
    parse: wholeNumber(1_048_576, 2 ** 40),
  },
  requestTimeoutMs: {
    env: "PURSE_REQUEST_TIMEOUT_MS",
    fallback: "60000",
    about: "How long a client may take to send a request, or leave its answer unread, in ms.",
    parse: wholeNumber(100, 3_600_000),
  },
  functionTimeoutMs: {
    env: "PURSE_FUNCTION_TIMEOUT_MS",
    fallback: "30000",
    about: "How long a cloud function or trigger may take, in ms.",
    parse: wholeNumber(10, 3_600_000),
  },
  cloudMemoryMb: {
    env: "PURSE_CLOUD_MEMORY_MB",
    fallback: "512",
    about: "Most memory that the cloud code may take, in MiB; beyond it the code starts again.",
    parse: wholeNumber(32, 65_536),
  },
  webhookKey: {
    env: "PURSE_WEBHOOK_KEY",
    about:
      "Sent to web hooks as X-Parse-Webhook-Key; requests to them are signed with it (X-Purse-Signature). Without it: neither.",
    parse: secret(8),
  },
  allowPrivateHooks: {
    env: "PURSE_ALLOW_PRIVATE_HOOKS",
    fallback: "0",
    about: "1 lets web hooks live at loopback, private and link-local addresses.",
    parse: flag,
  },
  ipfsGateway: {
    env: "PURSE_IPFS_GATEWAY",
    about:
      "IPFS gateway, as in https://host/ipfs, that is asked for metadata of NFTs which this server does not hold itself.",
    parse: webUrl,
  },
  ipfsRpcUrl: {
    env: "PURSE_IPFS_RPC_URL",
    about:
      "RPC of a Kubo node, as in http://host:5001, that keeps what is put into IPFS, and is asked instead of a gateway.",
    parse: webUrl,
  },
  allowPrivateMetadata: {
    env: "PURSE_ALLOW_PRIVATE_METADATA",
    fallback: "0",
    about: "1 lets metadata of NFTs be read from loopback, private and link-local addresses.",
    parse: flag,
  },
  maxLimit: {
    env: "PURSE_MAX_LIMIT",
    fallback: "10000",
    about: "Most objects in one answer.",
    parse: wholeNumber(1, 1_000_000),
  },
  queryTimeoutMs: {
    env: "PURSE_QUERY_TIMEOUT_MS",
    fallback: "10000",
    about: "How long a query may take in the database, in ms; a longer one is answered with error 124.",
    parse: wholeNumber(100, 3_600_000),
  },
  maxAnswerBytes: {
    env: "PURSE_MAX_ANSWER_BYTES",
    fallback: String(64 * 1024 * 1024),
    about: "Largest answer of a query, in bytes; a larger one is answered with error 116.",
    parse: wholeNumber(64 * 1024, 2 ** 28),
  },
  maxAnswersBytes: {
    env: "PURSE_MAX_ANSWERS_BYTES",
    fallback: String(128 * 1024 * 1024),
    about:
      "Bytes of all answers together that are held in memory for their clients; further large answers wait.",
    parse: wholeNumber(64 * 1024, 2 ** 40),
  },
  requireApiKey: {
    env: "PURSE_REQUIRE_API_KEY",
    about:
      "1 lets nobody use the data service (/api/v2 and its cloud functions) without an API key; functions also serve users who are signed in and pages of this server and of siweDomains. 0 serves everybody. Without it: 1 in production.",
    parse: flag,
  },
  apiKeyLimit: {
    env: "PURSE_API_KEY_LIMIT",
    fallback: "3000",
    about:
      "Requests to the data service in a minute with one API key, where the key has no limit of its own.",
    parse: wholeNumber(1, 1_000_000_000),
  },
  addressLimit: {
    env: "PURSE_ADDRESS_LIMIT",
    fallback: "1500",
    about:
      "Requests to the data service in a minute from one address without an API key. In development the machine itself is not limited.",
    parse: wholeNumber(1, 1_000_000_000),
  },
  limitAccounts: {
    env: "PURSE_LIMIT_ACCOUNTS",
    about:
      "1 holds sign-ups, failed log-ins, mails, sign-in messages and new roles to the default limits per address and account, where accountLimits of the config file sets no others; 0 does not. Without it: 1 in production.",
    parse: flag,
  },
  hashConcurrency: {
    env: "PURSE_HASH_CONCURRENCY",
    about:
      "Passwords that are hashed at once. Without it: half of libuv's threads (UV_THREADPOOL_SIZE, 4), but not more than there are processors.",
    parse: wholeNumber(1, 1_024),
  },
  hashQueue: {
    env: "PURSE_HASH_QUEUE",
    fallback: "512",
    about:
      "Passwords that may wait to be hashed, a quarter of them for one address; more are refused with HTTP 429 or 503.",
    parse: wholeNumber(1, 100_000),
  },
  metricsIps: {
    env: "PURSE_METRICS_IPS",
    fallback: "127.0.0.1,::1",
    about: "Addresses and ranges that may read /metrics without the master key, with commas; * for all.",
    parse: addresses,
  },
  keyFetchSecret: {
    env: "PURSE_KEY_FETCH_SECRET",
    about:
      "For whoever sends it as moralis-secret, /api/publics/apiKeys answers keyFetchApiKey, as old clients in Node.js ask. Without it: nobody is answered.",
    parse: secret(20),
  },
  keyFetchApiKey: {
    env: "PURSE_KEY_FETCH_API_KEY",
    about: "The API key that is fetched with keyFetchSecret, made by `npm run purse -- keys add`.",
    parse: secret(20),
  },
  tracking: {
    env: "PURSE_TRACKING",
    fallback: "0",
    about:
      "1 counts what old clients tell of their use (/api/functions/trackEvent) in /metrics; it goes nowhere else. 0 does not take it.",
    parse: flag,
  },
  idempotencyPaths: {
    env: "PURSE_IDEMPOTENCY_PATHS",
    fallback: ".*",
    about:
      "Patterns of paths, with commas, on which a request that brings an X-Parse-Request-Id is carried out once.",
    parse: patterns,
  },
  idempotencySeconds: {
    env: "PURSE_IDEMPOTENCY_SECONDS",
    fallback: "300",
    about: "How long a request's id is remembered, in s.",
    parse: wholeNumber(1, 86_400),
  },
  enableAnonymousUsers: {
    env: "PURSE_ENABLE_ANONYMOUS_USERS",
    fallback: "1",
    about: "1 lets people begin without a name, known by an id that only their device has.",
    parse: flag,
  },
  appName: {
    env: "PURSE_APP_NAME",
    fallback: "Purse",
    about: "What mails call the application.",
    parse: text(),
  },
  smtpUrl: {
    env: "PURSE_SMTP_URL",
    about: "Mail server, as in smtp://user:password@host:587. Without it: an outbox folder in development.",
    parse: smtpUrl,
  },
  verifyUserEmails: {
    env: "PURSE_VERIFY_USER_EMAILS",
    fallback: "0",
    about: "1 sends people a link by which they prove their e-mail address.",
    parse: flag,
  },
  preventLoginWithUnverifiedEmail: {
    env: "PURSE_PREVENT_LOGIN_WITH_UNVERIFIED_EMAIL",
    fallback: "0",
    about: "1 lets people sign in only when they have proved their address.",
    parse: flag,
  },
  emailTokenSeconds: {
    env: "PURSE_EMAIL_TOKEN_SECONDS",
    fallback: "86400",
    about: "How long the link that proves an address works, in s.",
    parse: wholeNumber(1, 31_536_000),
  },
  revokeSessionOnPasswordReset: {
    env: "PURSE_REVOKE_SESSION_ON_PASSWORD_RESET",
    fallback: "1",
    about: "1 ends a user's other sessions when the password changes.",
    parse: flag,
  },
  sessionSeconds: {
    env: "PURSE_SESSION_SECONDS",
    fallback: String(365 * 24 * 3_600),
    about: "How long a sign-in lasts, in s.",
    parse: wholeNumber(60, 10 * 365 * 24 * 3_600),
  },
  signatureSeconds: {
    env: "PURSE_SIGNATURE_SECONDS",
    fallback: "300",
    about: "How old the signature of a wallet sign-in may be, in s.",
    parse: wholeNumber(10, 86_400),
  },
  siweDomains: {
    env: "PURSE_SIWE_DOMAINS",
    about:
      "Hosts of your sites, with commas; localhost:* for every port. They may have wallets sign in (EIP-4361) and use the data service's functions without an API key. Without it: that of the server's URL, in development also localhost.",
    parse: siweDomains,
  },
  walletConnectProjectId: {
    env: "PURSE_WALLETCONNECT_PROJECT_ID",
    about:
      "Project id at WalletConnect (Reown), which everybody may see: the app offers wallets on other devices, where its library is installed. Without it: it does not.",
    parse: publicId,
  },
  walletConnectRelayUrl: {
    env: "PURSE_WALLETCONNECT_RELAY_URL",
    about: "Relay, as in wss://host, instead of WalletConnect's own.",
    parse: relayUrl,
  },
  web3AuthClientId: {
    env: "PURSE_WEB3AUTH_CLIENT_ID",
    about:
      "Client id at Web3Auth, which everybody may see: the app offers wallets behind a social login, where its library is installed. Without it: it does not.",
    parse: publicId,
  },
  web3AuthNetwork: {
    env: "PURSE_WEB3AUTH_NETWORK",
    fallback: "sapphire_mainnet",
    about: "Network of Web3Auth that the client id belongs to.",
    parse: publicId,
  },
  magicApiKey: {
    env: "PURSE_MAGIC_API_KEY",
    about:
      "Publishable API key at Magic (pk_…), which everybody may see: the app offers wallets by e-mail. Without it: it does not.",
    parse: magicKey,
  },
  magicNetwork: {
    env: "PURSE_MAGIC_NETWORK",
    fallback: "mainnet",
    about: "Chain of the wallets at Magic, as Magic names it.",
    parse: publicId,
  },
} satisfies Record<string, Setting<unknown>>;

export type SettingKey = keyof typeof SETTINGS;

export const CHAIN_SETTINGS: readonly { env: string; about: string }[] = [
  {
    env: "PURSE_CHAIN_<NAME>_RPC_URL",
    about: "Node of a chain (ETH, POLYGON, BSC_TESTNET, …) over http(s) or ws(s); more than one with commas.",
  },
  { env: "PURSE_CHAIN_<NAME>_ID", about: "Chain id, for names that are not known." },
  { env: "PURSE_CHAIN_<NAME>_START_BLOCK", about: "First block to index." },
  {
    env: "PURSE_CHAIN_<NAME>_SCOPE",
    about:
      "chain (default): every block is indexed; wallets: what known addresses do, read when they are asked about.",
  },
];

function wholeNumber(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= least && number <= most) return number;
    throw new Error(`it must be a whole number from ${least} to ${most}`);
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
    throw new Error("it must be regular expressions with commas between them");
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
