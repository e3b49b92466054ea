import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { Market } from "@purse/chain";
import type { LogFormat, LogLevel } from "../core/logger.ts";
import type { AccountLimitValues } from "./accountLimits.ts";
import { type ChainConfig, parseChain } from "./chains.ts";
import type { DatabaseConfig } from "./database.ts";
import type { FilesStoreConfig } from "./fileUpload.ts";
import { loadKeys } from "./keys.ts";
import { parseMarket } from "./market.ts";
import { readSections, SECTIONS, type SectionKey, type SectionValues } from "./sections.ts";
import { CHAIN_SETTINGS, SETTINGS, type Setting, type SettingKey } from "./settings.ts";
import type { WalletServices } from "./walletServices.ts";

export type { ChainConfig as ChainSetting };

/** The validated settings of the server, with all defaults filled in. Paths are absolute. */
export interface Config extends Omit<SectionValues, "accountLimits"> {
  environment: "development" | "production";
  host: string;
  port: number;
  dataDir: string;
  /** File that stores the application ID and the master key; undefined if both were configured. */
  keysPath: string | undefined;
  appId: string;
  masterKey: string;
  /** Grants read-only access to everything. */
  readOnlyMasterKey: string | undefined;
  allowClientClassCreation: boolean;
  allowPublicExplain: boolean;
  allowClientAddField: boolean;
  allowClientClassList: boolean;
  allowAnonymousRoles: boolean;
  /** Clients may create classes and fields by saving objects up to these numbers: of classes, and of fields per class. */
  growthLimits: { classes: number; fields: number };
  /** Whether schemas can only be changed by code. */
  lockSchemas: boolean;
  allowCustomObjectId: boolean;
  /** IP addresses that may use the master keys; `*` matches all. */
  masterKeyIps: string[];
  /** Public URL of the Parse API; undefined to derive it from host and port. */
  serverUrl: string | undefined;
  /** IP addresses of trusted proxies; `*` matches all. */
  trustedProxies: string[];
  /** URL of the Parse API on a separate origin for files. */
  filesUrl: string | undefined;
  filesStore: FilesStoreConfig;
  /** Maximum size of an uploaded file, in bytes. */
  maxUploadSize: number;
  /** Limits of unfinished uploads: their number and bytes per user or IP address, and the bytes of all clients. */
  uploads: { maxPerOwner: number; maxBytesPerOwner: number; maxBytes: number };
  database: DatabaseConfig;
  cloudFile: string | undefined;
  /** Memory limit of cloud code, in MiB. */
  cloudMemoryMb: number;
  /** Sent to webhooks and used to sign requests to them. */
  webhookKey: string | undefined;
  /** Whether webhooks may have loopback, private and link-local addresses. */
  allowPrivateHooks: boolean;
  /** Gateway, or RPC of a Kubo node, for NFT metadata in IPFS that the server does not have. The node also pins content. */
  ipfsGateway: string | undefined;
  ipfsRpcUrl: string | undefined;
  /** Whether NFT metadata may be read from loopback, private and link-local addresses. */
  allowPrivateMetadata: boolean;
  chains: ChainConfig[];
  devChain: { enabled: boolean; port: number };
  log: { level: LogLevel; format: LogFormat };
  limits: Limits;
  /** Whether the data service requires an API key. */
  requireApiKey: boolean;
  /** Requests to the data service per minute: per API key, and per IP address without an API key. */
  dataLimits: { apiKey: number; address: number };
  /** Rate limits of sign-ups, failed logins, emails and so on. */
  accountLimits: AccountLimitValues;
  /** Passwords that are hashed concurrently (undefined to derive it from the machine), and those that may wait. */
  hashing: { concurrency: number | undefined; maxWaiting: number };
  /** IP addresses that may read `/metrics`; `*` matches all. */
  metricsIps: string[];
  /** The API key that old clients fetch with a secret; undefined if disabled. */
  keyFetch: { secret: string; apiKey: string } | undefined;
  /** Whether usage events of old clients are counted. */
  tracking: boolean;
  /** `seconds`: how long a request ID is remembered. */
  idempotency: { paths: RegExp[]; seconds: number };
  enableAnonymousUsers: boolean;
  /** Application name shown in emails. */
  appName: string;
  smtpUrl: string | undefined;
  verifyUserEmails: boolean;
  preventLoginWithUnverifiedEmail: boolean;
  emailTokenSeconds: number;
  revokeSessionOnPasswordReset: boolean;
  sessionSeconds: number;
  signatureSeconds: number;
  /** Hosts of the sites that may request wallet sign-ins; undefined to derive them from the server's URL. */
  siweDomains: string[] | undefined;
  /** Third-party wallet services that the app offers. */
  walletServices: WalletServices;
}

export interface Limits {
  maxBodyBytes: number;
  /** Maximum body size of clients without a session or a key. */
  maxAnonymousBodyBytes: number;
  /** Memory for the bodies of all open requests together, in bytes. */
  bodyMemoryBytes: number;
  requestTimeoutMs: number;
  functionTimeoutMs: number;
  /** Maximum number of objects in a response. */
  maxLimit: number;
  /** Time limit of a database query. */
  queryTimeoutMs: number;
  /** Maximum size of a query response. */
  maxAnswerBytes: number;
  /** Maximum size of all responses in memory together. */
  maxAnswersBytes: number;
  liveSocketsPerAddress: number;
}

/** The default export of `purse.config.ts`. */
export type ConfigFile = Partial<Record<SettingKey, string | number | boolean | string[]>> & {
  chains?: Record<
    string,
    {
      rpcUrl: string | string[];
      id?: number;
      startBlock?: number;
      scope?: "chain" | "wallets";
    } & Partial<Market>
  >;
} & { [K in SectionKey]?: unknown };

export interface ConfigSources {
  /** Command-line arguments after the script name. */
  argv: string[];
  env: Record<string, string | undefined>;
  cwd: string;
}

/** Settings whose values must not appear in error messages. */
const SECRET_SETTINGS: ReadonlySet<SettingKey> = new Set([
  "masterKey",
  "readOnlyMasterKey",
  "webhookKey",
  "keyFetchSecret",
  "keyFetchApiKey",
  "databaseUrl",
  "databaseReplicaUrl",
  // URLs that may contain a password.
  "filesStore",
  "ipfsGateway",
  "ipfsRpcUrl",
  "smtpUrl",
]);

type Values = { [K in SettingKey]: ReturnType<(typeof SETTINGS)[K]["parse"]> | undefined };

/**
 * Loads the settings. Flags take precedence over the environment, the config file and the defaults, in this order.
 * Creates the data folder, and the keys on first start. Throws Error naming the setting, its value (unless it is secret)
 * and what is allowed.
 */
export async function loadConfig({ argv, env, cwd }: ConfigSources): Promise<Config> {
  const flags = parseFlags(argv);
  const file = await readConfigFile(flags["--config"] ?? env.PURSE_CONFIG, cwd);
  const values = readValues(flags, env, file);

  const environment = values.environment ?? (env.NODE_ENV === "production" ? "production" : "development");
  const dataDir = resolve(cwd, required("dataDir", values));
  const keys = await resolveKeys(values, dataDir);
  const sections = readSections(file);
  return {
    ...sections,
    environment,
    host: required("host", values),
    port: required("port", values),
    dataDir,
    ...keys,
    readOnlyMasterKey: values.readOnlyMasterKey,
    allowClientClassCreation: values.allowClientClassCreation ?? environment === "development",
    allowPublicExplain: values.allowPublicExplain ?? environment === "development",
    allowClientAddField: values.allowClientAddField ?? environment === "development",
    allowClientClassList: values.allowClientClassList ?? environment === "development",
    allowAnonymousRoles: values.allowAnonymousRoles ?? environment === "development",
    growthLimits: {
      classes: required("maxClientClasses", values),
      fields: required("maxClientFields", values),
    },
    lockSchemas: required("lockSchemas", values),
    allowCustomObjectId: required("allowCustomObjectId", values),
    masterKeyIps: required("masterKeyIps", values),
    serverUrl: values.serverUrl,
    trustedProxies: values.trustedProxies ?? [],
    filesUrl: values.filesUrl,
    filesStore: required("filesStore", values),
    maxUploadSize: required("maxUploadSize", values),
    uploads: {
      maxPerOwner: required("maxUploadsPerClient", values),
      maxBytesPerOwner: required("maxUploadBytesPerClient", values),
      maxBytes: required("maxUploadBytes", values),
    },
    database: readDatabase(values, dataDir, cwd),
    cloudFile: await cloudFile(values.cloud, cwd),
    cloudMemoryMb: required("cloudMemoryMb", values),
    webhookKey: values.webhookKey,
    allowPrivateHooks: required("allowPrivateHooks", values),
    ipfsGateway: values.ipfsGateway,
    ipfsRpcUrl: values.ipfsRpcUrl,
    allowPrivateMetadata: required("allowPrivateMetadata", values),
    chains: readChains(env, file),
    devChain: {
      enabled: values.devChain ?? environment === "development",
      port: required("devChainPort", values),
    },
    log: {
      level: required("logLevel", values),
      format: values.logFormat ?? (environment === "production" ? "json" : "text"),
    },
    limits: {
      maxBodyBytes: required("maxBodyBytes", values),
      maxAnonymousBodyBytes: required("maxAnonymousBodyBytes", values),
      bodyMemoryBytes: required("bodyMemoryBytes", values),
      requestTimeoutMs: required("requestTimeoutMs", values),
      functionTimeoutMs: required("functionTimeoutMs", values),
      maxLimit: required("maxLimit", values),
      queryTimeoutMs: required("queryTimeoutMs", values),
      maxAnswerBytes: required("maxAnswerBytes", values),
      maxAnswersBytes: required("maxAnswersBytes", values),
      liveSocketsPerAddress: required("liveSocketsPerAddress", values),
    },
    requireApiKey: values.requireApiKey ?? environment === "production",
    dataLimits: { apiKey: required("apiKeyLimit", values), address: required("addressLimit", values) },
    accountLimits: sections.accountLimits(values.limitAccounts ?? environment === "production"),
    hashing: { concurrency: values.hashConcurrency, maxWaiting: required("hashQueue", values) },
    metricsIps: required("metricsIps", values),
    keyFetch: readKeyFetch(values),
    tracking: required("tracking", values),
    idempotency: {
      paths: required("idempotencyPaths", values),
      seconds: required("idempotencySeconds", values),
    },
    enableAnonymousUsers: required("enableAnonymousUsers", values),
    appName: required("appName", values),
    smtpUrl: values.smtpUrl,
    verifyUserEmails: required("verifyUserEmails", values),
    preventLoginWithUnverifiedEmail: required("preventLoginWithUnverifiedEmail", values),
    emailTokenSeconds: required("emailTokenSeconds", values),
    revokeSessionOnPasswordReset: required("revokeSessionOnPasswordReset", values),
    sessionSeconds: required("sessionSeconds", values),
    signatureSeconds: required("signatureSeconds", values),
    siweDomains: values.siweDomains,
    walletServices: readWalletServices(values),
  };
}

/** One row of the settings reference. Texts are empty if a setting has no flag, variable, key or default. */
export interface SettingRow {
  flag: string;
  env: string;
  /** Key in purse.config.ts. */
  key: string;
  defaultText: string;
  description: string;
}

/** All settings: first those with a variable, then those that only the config file can contain. */
export function settingRows(): SettingRow[] {
  const rows = Object.entries<Setting<unknown>>(SETTINGS).map(
    ([key, setting]): SettingRow => ({
      flag: setting.flag ?? "",
      env: setting.env,
      key,
      defaultText: setting.defaultText ?? "",
      description: setting.description,
    }),
  );
  rows.push({
    flag: "--config",
    env: "PURSE_CONFIG",
    key: "",
    defaultText: "./purse.config.ts",
    description: "Config file; its keys are in the third column.",
  });
  for (const { env, description } of CHAIN_SETTINGS)
    rows.push({ flag: "", env, key: "chains", defaultText: "", description });
  for (const [key, { description }] of Object.entries(SECTIONS))
    rows.push({ flag: "", env: "", key, defaultText: "", description });
  return rows;
}

/** All settings as a Markdown table, for `--help`. */
export function settingsTable(): string {
  const rows = settingRows().map((row) => [row.flag, row.env, row.key, row.defaultText, row.description]);
  const table = [["Flag", "Environment", "Config file", "Default", "Description"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = table;
  const rule = `|${[...widths, 12].map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [line(head), rule, ...body.map(line)].join("\n");
}

function parseFlags(argv: string[]): Record<string, string | undefined> {
  const names = ["--config", ...Object.values<Setting<unknown>>(SETTINGS).flatMap(({ flag }) => flag ?? [])];
  const options = Object.fromEntries(names.map((name) => [name.slice(2), { type: "string" as const }]));
  try {
    const { values } = parseArgs({ args: argv, options, strict: true, allowPositionals: false });
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [`--${name}`, String(value)]));
  } catch (error) {
    throw new Error(
      `${error instanceof Error ? error.message : String(error)}. Flags are ${names.join(", ")}`,
    );
  }
}

async function readConfigFile(named: string | undefined, cwd: string): Promise<Record<string, unknown>> {
  const path = resolve(cwd, named ?? "purse.config.ts");
  if (!(await exists(path))) {
    if (named === undefined) return {};
    throw new Error(`--config names ${path}, which does not exist`);
  }
  const module: unknown = await import(pathToFileURL(path).href);
  const file = isRecord(module) ? module.default : undefined;
  if (!isRecord(file)) throw new Error(`${path} must have the settings as its default export`);
  const known = [...Object.keys(SETTINGS), "chains", ...Object.keys(SECTIONS)];
  const unknown = Object.keys(file).find((key) => !known.includes(key));
  if (unknown === undefined) return file;
  throw new Error(`${path}: "${unknown}" is not a setting. Settings are ${known.join(", ")}`);
}

function readValues(
  flags: Record<string, string | undefined>,
  env: Record<string, string | undefined>,
  file: Record<string, unknown>,
): Values {
  const read = <T>(key: SettingKey, setting: Setting<T>): T | undefined => {
    const found =
      named(setting.flag, setting.flag && flags[setting.flag]) ??
      // Many shells and compose files pass an unset variable as an empty one.
      named(setting.env, env[setting.env] || undefined) ??
      named(`"${key}" of the config file`, textFromFile(file[key])) ??
      named(key, setting.defaultText);
    if (!found) return undefined;
    try {
      return setting.parse(found.text);
    } catch (error) {
      const value = SECRET_SETTINGS.has(key) ? "" : ` is "${found.text}"`;
      throw new Error(`${found.name}${value}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return {
    port: read("port", SETTINGS.port),
    host: read("host", SETTINGS.host),
    dataDir: read("dataDir", SETTINGS.dataDir),
    environment: read("environment", SETTINGS.environment),
    appId: read("appId", SETTINGS.appId),
    masterKey: read("masterKey", SETTINGS.masterKey),
    readOnlyMasterKey: read("readOnlyMasterKey", SETTINGS.readOnlyMasterKey),
    allowClientClassCreation: read("allowClientClassCreation", SETTINGS.allowClientClassCreation),
    allowPublicExplain: read("allowPublicExplain", SETTINGS.allowPublicExplain),
    allowClientAddField: read("allowClientAddField", SETTINGS.allowClientAddField),
    allowClientClassList: read("allowClientClassList", SETTINGS.allowClientClassList),
    allowAnonymousRoles: read("allowAnonymousRoles", SETTINGS.allowAnonymousRoles),
    databaseReplicaUrl: read("databaseReplicaUrl", SETTINGS.databaseReplicaUrl),
    maxClientClasses: read("maxClientClasses", SETTINGS.maxClientClasses),
    maxClientFields: read("maxClientFields", SETTINGS.maxClientFields),
    lockSchemas: read("lockSchemas", SETTINGS.lockSchemas),
    allowCustomObjectId: read("allowCustomObjectId", SETTINGS.allowCustomObjectId),
    masterKeyIps: read("masterKeyIps", SETTINGS.masterKeyIps),
    serverUrl: read("serverUrl", SETTINGS.serverUrl),
    trustedProxies: read("trustedProxies", SETTINGS.trustedProxies),
    filesUrl: read("filesUrl", SETTINGS.filesUrl),
    filesStore: read("filesStore", SETTINGS.filesStore),
    maxUploadSize: read("maxUploadSize", SETTINGS.maxUploadSize),
    maxUploadsPerClient: read("maxUploadsPerClient", SETTINGS.maxUploadsPerClient),
    maxUploadBytesPerClient: read("maxUploadBytesPerClient", SETTINGS.maxUploadBytesPerClient),
    maxUploadBytes: read("maxUploadBytes", SETTINGS.maxUploadBytes),
    databaseUrl: read("databaseUrl", SETTINGS.databaseUrl),
    databaseConnections: read("databaseConnections", SETTINGS.databaseConnections),
    cloud: read("cloud", SETTINGS.cloud),
    cloudMemoryMb: read("cloudMemoryMb", SETTINGS.cloudMemoryMb),
    webhookKey: read("webhookKey", SETTINGS.webhookKey),
    allowPrivateHooks: read("allowPrivateHooks", SETTINGS.allowPrivateHooks),
    ipfsGateway: read("ipfsGateway", SETTINGS.ipfsGateway),
    ipfsRpcUrl: read("ipfsRpcUrl", SETTINGS.ipfsRpcUrl),
    allowPrivateMetadata: read("allowPrivateMetadata", SETTINGS.allowPrivateMetadata),
    devChain: read("devChain", SETTINGS.devChain),
    devChainPort: read("devChainPort", SETTINGS.devChainPort),
    logLevel: read("logLevel", SETTINGS.logLevel),
    logFormat: read("logFormat", SETTINGS.logFormat),
    maxBodyBytes: read("maxBodyBytes", SETTINGS.maxBodyBytes),
    maxAnonymousBodyBytes: read("maxAnonymousBodyBytes", SETTINGS.maxAnonymousBodyBytes),
    bodyMemoryBytes: read("bodyMemoryBytes", SETTINGS.bodyMemoryBytes),
    requestTimeoutMs: read("requestTimeoutMs", SETTINGS.requestTimeoutMs),
    functionTimeoutMs: read("functionTimeoutMs", SETTINGS.functionTimeoutMs),
    maxLimit: read("maxLimit", SETTINGS.maxLimit),
    queryTimeoutMs: read("queryTimeoutMs", SETTINGS.queryTimeoutMs),
    maxAnswerBytes: read("maxAnswerBytes", SETTINGS.maxAnswerBytes),
    maxAnswersBytes: read("maxAnswersBytes", SETTINGS.maxAnswersBytes),
    requireApiKey: read("requireApiKey", SETTINGS.requireApiKey),
    apiKeyLimit: read("apiKeyLimit", SETTINGS.apiKeyLimit),
    addressLimit: read("addressLimit", SETTINGS.addressLimit),
    limitAccounts: read("limitAccounts", SETTINGS.limitAccounts),
    hashConcurrency: read("hashConcurrency", SETTINGS.hashConcurrency),
    hashQueue: read("hashQueue", SETTINGS.hashQueue),
    metricsIps: read("metricsIps", SETTINGS.metricsIps),
    liveSocketsPerAddress: read("liveSocketsPerAddress", SETTINGS.liveSocketsPerAddress),
    keyFetchSecret: read("keyFetchSecret", SETTINGS.keyFetchSecret),
    keyFetchApiKey: read("keyFetchApiKey", SETTINGS.keyFetchApiKey),
    tracking: read("tracking", SETTINGS.tracking),
    idempotencyPaths: read("idempotencyPaths", SETTINGS.idempotencyPaths),
    idempotencySeconds: read("idempotencySeconds", SETTINGS.idempotencySeconds),
    enableAnonymousUsers: read("enableAnonymousUsers", SETTINGS.enableAnonymousUsers),
    appName: read("appName", SETTINGS.appName),
    smtpUrl: read("smtpUrl", SETTINGS.smtpUrl),
    verifyUserEmails: read("verifyUserEmails", SETTINGS.verifyUserEmails),
    preventLoginWithUnverifiedEmail: read(
      "preventLoginWithUnverifiedEmail",
      SETTINGS.preventLoginWithUnverifiedEmail,
    ),
    emailTokenSeconds: read("emailTokenSeconds", SETTINGS.emailTokenSeconds),
    revokeSessionOnPasswordReset: read("revokeSessionOnPasswordReset", SETTINGS.revokeSessionOnPasswordReset),
    sessionSeconds: read("sessionSeconds", SETTINGS.sessionSeconds),
    signatureSeconds: read("signatureSeconds", SETTINGS.signatureSeconds),
    siweDomains: read("siweDomains", SETTINGS.siweDomains),
    walletConnectProjectId: read("walletConnectProjectId", SETTINGS.walletConnectProjectId),
    walletConnectRelayUrl: read("walletConnectRelayUrl", SETTINGS.walletConnectRelayUrl),
    web3AuthClientId: read("web3AuthClientId", SETTINGS.web3AuthClientId),
    web3AuthNetwork: read("web3AuthNetwork", SETTINGS.web3AuthNetwork),
    magicApiKey: read("magicApiKey", SETTINGS.magicApiKey),
    magicNetwork: read("magicNetwork", SETTINGS.magicNetwork),
  };
}

function named(
  name: string | undefined,
  text: string | undefined,
): { name: string; text: string } | undefined {
  return name === undefined || text === undefined ? undefined : { name, text };
}

function textFromFile(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return Array.isArray(value) ? value.join(",") : String(value);
}

/** Returns the value of a setting that has a default. */
function required<K extends SettingKey>(key: K, values: Values): NonNullable<Values[K]> {
  const value = values[key];
  if (value === undefined || value === null) throw new Error(`${SETTINGS[key].env} is not set`);
  return value;
}

async function resolveKeys(
  values: Values,
  dataDir: string,
): Promise<Pick<Config, "appId" | "masterKey" | "keysPath">> {
  const { appId, masterKey } = values;
  if (appId && masterKey) return { appId, masterKey, keysPath: undefined };
  const stored = await loadKeys(dataDir);
  return { appId: appId ?? stored.appId, masterKey: masterKey ?? stored.masterKey, keysPath: stored.path };
}

function readKeyFetch({ keyFetchSecret: secret, keyFetchApiKey: apiKey }: Values): Config["keyFetch"] {
  if (secret !== undefined && apiKey !== undefined) return { secret, apiKey };
  if (secret === undefined && apiKey === undefined) return undefined;
  throw new Error("PURSE_KEY_FETCH_SECRET and PURSE_KEY_FETCH_API_KEY must be set together");
}

function readWalletServices(values: Values): WalletServices {
  const { walletConnectProjectId, walletConnectRelayUrl, web3AuthClientId, magicApiKey } = values;
  return {
    walletConnect:
      walletConnectProjectId === undefined
        ? null
        : { projectId: walletConnectProjectId, relayUrl: walletConnectRelayUrl ?? null },
    web3Auth:
      web3AuthClientId === undefined
        ? null
        : { clientId: web3AuthClientId, network: required("web3AuthNetwork", values) },
    magic:
      magicApiKey === undefined ? null : { apiKey: magicApiKey, network: required("magicNetwork", values) },
  };
}

function readDatabase(values: Values, dataDir: string, cwd: string): DatabaseConfig {
  const { databaseUrl } = values;
  if (databaseUrl?.kind === "postgres") {
    const replica = values.databaseReplicaUrl;
    if (replica?.kind === "sqlite") throw new Error("PURSE_DATABASE_REPLICA_URL must be postgres://…");
    return {
      ...databaseUrl,
      connections: required("databaseConnections", values),
      ...(replica && { replicaUrl: replica.url }),
    };
  }
  return { kind: "sqlite", path: resolve(cwd, databaseUrl?.path ?? resolve(dataDir, "purse.sqlite")) };
}

async function cloudFile(setting: string | undefined, cwd: string): Promise<string | undefined> {
  const path = resolve(cwd, setting ?? "cloud/main.ts");
  if (await exists(path)) return path;
  if (setting === undefined) return undefined;
  throw new Error(`PURSE_CLOUD names ${path}, which does not exist`);
}

function readChains(env: Record<string, string | undefined>, file: Record<string, unknown>): ChainConfig[] {
  const chains = new Map<number, ChainConfig>();
  const fileChains: unknown = file.chains ?? {};
  if (!isRecord(fileChains))
    throw new Error('"chains" of the config file must be an object of chains by name');
  for (const [name, chain] of Object.entries(fileChains)) {
    if (!isRecord(chain))
      throw new Error(
        `"chains.${name}" of the config file must be { rpcUrl, id?, startBlock?, scope?, exchanges?, … }`,
      );
    const setting = parseChain({
      name,
      rpcUrl: textFromFile(chain.rpcUrl) ?? "",
      id: textFromFile(chain.id),
      startBlock: textFromFile(chain.startBlock),
      scope: textFromFile(chain.scope),
    });
    const market = parseMarket(name, chain);
    chains.set(setting.id, market ? { ...setting, market } : setting);
  }
  for (const [variable, rpcUrl] of Object.entries(env)) {
    const name = /^PURSE_CHAIN_([A-Z0-9_]+)_RPC_URL$/.exec(variable)?.[1];
    if (!name || !rpcUrl) continue;
    const id = env[`PURSE_CHAIN_${name}_ID`] || undefined;
    const startBlock = env[`PURSE_CHAIN_${name}_START_BLOCK`] || undefined;
    const scope = env[`PURSE_CHAIN_${name}_SCOPE`] || undefined;
    const setting = parseChain({ name, rpcUrl, id, startBlock, scope });
    const market = chains.get(setting.id)?.market;
    chains.set(setting.id, market ? { ...setting, market } : setting);
  }
  return [...chains.values()];
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
