import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { ChainConfig, Market } from "@purse/chain";
import {
  assertDistinct,
  type ConfiguredModule,
  didYouMean,
  type Module,
  type ModuleInputs,
} from "@purse/kernel";
import { isRecord } from "@purse/protocol";
import type { AccountLimitValues } from "./accountLimits.ts";
import { assertEventsStorable } from "./chains.ts";
import type { DatabaseConfig } from "./database.ts";
import { loadKeys } from "./keys.ts";
import { hookEntries, readModules, type ServerEntries } from "./moduleImports.ts";
import { assertOwnSettings, configureModules, moduleVariable } from "./moduleSettings.ts";
import { type PasswordPolicy, withMinLength } from "./passwords.ts";
import { assertRolesPossible } from "./processRoles.ts";
import { readChains } from "./readChains.ts";
import { readSections, SECTIONS, type SectionInputs, type SectionValues } from "./sections.ts";
import { invalidInput, readInput, type SettingSources, settingInput } from "./settingInput.ts";
import { SETTING_LIST } from "./settingList.ts";
import { type SettingInputs, type SettingValues, settingsSchema } from "./settings.ts";
import { type UnknownVariable, unknownVariables } from "./unknownVariables.ts";
import { assertValkeyPossible } from "./valkey.ts";
import type { WalletServices } from "./walletServices.ts";

/** The validated settings of the server, with all defaults filled in. Paths are absolute. */
export interface Config
  extends Omit<SettingValues, "appId" | "masterKey" | "trustedProxies">,
    Omit<SectionValues, "accountLimits" | "passwordPolicy"> {
  /** File that stores the application ID and the master key; undefined if both were configured. */
  keysPath: string | undefined;
  appId: string;
  masterKey: string;
  trustedProxies: string[];
  database: DatabaseConfig;
  cloudFile: string | undefined;
  chains: ChainConfig[];
  /** Rate limits of sign-ups, failed logins, emails and so on. */
  accountLimits: AccountLimitValues;
  passwordPolicy: PasswordPolicy;
  /** The API key that old clients fetch with a secret; undefined if disabled. */
  keyFetch: { secret: string; apiKey: string } | undefined;
  /** Third-party wallet services that the app offers. */
  walletServices: WalletServices;
  /** The modules of the server and of the config file, with their settings. */
  modules: ConfiguredModule[];
  /** Variables of the environment that are probably mistyped. */
  unknownVariables: UnknownVariable[];
}

/** The default export of `purse.config.ts`. */
export type ConfigFile = Partial<SettingInputs> & {
  chains?: Record<
    string,
    {
      rpcUrl: string | string[];
      id?: number;
      startBlock?: number;
      scope?: "chain" | "wallets";
      traces?: boolean;
      databaseUrl?: string;
      databaseDirectUrl?: string;
      partitionBlocks?: number;
      keepBlocks?: number;
      keepDays?: number;
    } & Partial<Market>
  >;
} & SectionInputs &
  ModuleInputs & {
    /** Further modules, functions that return one, and names of packages whose default export is either. */
    modules?: readonly (Module | (() => Module) | string)[];
  };

/** Settings of earlier versions, by the name of the variable, and what is done instead of them. */
const REMOVED: Record<string, { key: string; instead: string }> = {
  PURSE_CHANGES: { key: "changes", instead: "live queries learn of changes by triggers" },
};

export interface ConfigSources {
  /** Command-line arguments after the script name. */
  argv: string[];
  env: Record<string, string | undefined>;
  cwd: string;
  /** The modules of the server itself. */
  modules?: readonly Module[];
  /** What the config file may import of the server. */
  entries?: ServerEntries;
  isInstalled?: SettingSources["isInstalled"];
}

/**
 * Loads the settings. Flags take precedence over the environment, the config file and the defaults, in this order.
 * Creates the data folder, and the keys on first start. Throws Error naming the setting, its value (unless it is secret)
 * and what is allowed.
 */
export async function loadConfig(sources: ConfigSources): Promise<Config> {
  const { argv, env, cwd, entries = {}, isInstalled } = sources;
  assertNotRemoved(env);
  const path = await configPath(configFlag(argv) ?? env.PURSE_CONFIG, cwd);
  const file = path === undefined ? {} : await readConfigFile(path, entries);
  const modules = [...(sources.modules ?? []), ...(await readModules(file.modules, path ?? ""))];
  assertDistinct(modules);
  assertOwnSettings(modules);
  const flags = parseFlags(argv, modules);
  if (path !== undefined) assertKnownKeys(file, path, modules);
  const values = readSettings({ flags, env, file, isInstalled });
  const dataDir = resolve(cwd, values.dataDir);
  const keys = await resolveKeys(values, dataDir);
  const sections = readSections(file);
  const database = readDatabase(values, dataDir, cwd);
  assertRolesPossible(values.roles, database);
  assertValkeyPossible(values.valkeyUrl, database);
  const chains = readChains(env, file, values.databaseConnections);
  assertEventsStorable(chains, database, values.clickHouseUrl);
  return {
    ...values,
    ...sections,
    ...keys,
    dataDir,
    trustedProxies: values.trustedProxies ?? [],
    database,
    cloudFile: await cloudFile(values.cloud, cwd),
    chains,
    accountLimits: sections.accountLimits(values.limitAccounts),
    passwordPolicy: withMinLength(sections.passwordPolicy, values),
    keyFetch: readKeyFetch(values),
    walletServices: readWalletServices(values),
    modules: configureModules(modules, { flags, env, file, isInstalled }, { ...values, dataDir, cwd }),
    unknownVariables: unknownVariables(
      env,
      modules.flatMap(({ settings }) => settings.flatMap((setting) => moduleVariable(setting) ?? [])),
    ),
  };
}

/** The value of --config, before the other flags are known. */
function configFlag(argv: string[]): string | undefined {
  const { values } = parseArgs({ args: argv, options: { config: { type: "string" } }, strict: false });
  return typeof values.config === "string" ? values.config : undefined;
}

function parseFlags(argv: string[], modules: readonly Module[]): Record<string, string | undefined> {
  const ofModules = modules.flatMap(({ settings }) => settings.flatMap(({ flag }) => flag ?? []));
  const names = ["--config", ...SETTING_LIST.flatMap(({ info }) => info.flag ?? []), ...ofModules];
  const options = Object.fromEntries(names.map((name) => [name.slice(2), { type: "string" as const }]));
  try {
    const { values } = parseArgs({ args: argv, options, strict: true, allowPositionals: false });
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [`--${name}`, String(value)]));
  } catch (error) {
    const unknown = argv
      .map((arg) => arg.replace(/=.*/, ""))
      .find((arg) => /^--./.test(arg) && !names.includes(arg));
    const message = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
    throw new Error(
      unknown === undefined
        ? `${message}. Flags are ${names.join(", ")}`
        : `${unknown} is not a flag${didYouMean(unknown, names) || `. Flags are ${names.join(", ")}`}`,
    );
  }
}

function assertNotRemoved(env: Record<string, string | undefined>): void {
  for (const [name, { instead }] of Object.entries(REMOVED))
    if (env[name]) throw new Error(`Remove ${name}, which is no setting any more: ${instead}`);
}

/** The path of the config file; undefined if none is named and there is none. */
async function configPath(named: string | undefined, cwd: string): Promise<string | undefined> {
  const path = resolve(cwd, named ?? "purse.config.ts");
  if (await exists(path)) return path;
  if (named === undefined) return undefined;
  throw new Error(`--config names ${path}, which does not exist`);
}

async function readConfigFile(path: string, entries: ServerEntries): Promise<Record<string, unknown>> {
  const { href } = pathToFileURL(path);
  await hookEntries(entries, href);
  const imported: unknown = await import(href);
  const file = isRecord(imported) ? imported.default : undefined;
  if (!isRecord(file)) throw new Error(`${path} must have the settings as its default export`);
  return file;
}

function assertKnownKeys(file: Record<string, unknown>, path: string, modules: readonly Module[]): void {
  const ofModules = modules.flatMap(({ settings }) => settings.map(({ key }) => key));
  const known = [
    ...Object.keys(settingsSchema.shape),
    ...["chains", "modules"],
    ...Object.keys(SECTIONS),
    ...ofModules,
  ];
  const unknown = Object.keys(file).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const removed = Object.values(REMOVED).find(({ key }) => key === unknown);
  if (removed)
    throw new Error(`${path}: remove "${unknown}", which is no setting any more: ${removed.instead}`);
  throw new Error(
    `${path}: "${unknown}" is not a setting${didYouMean(unknown, known) || `. ${WHERE_SETTINGS_ARE}`}`,
  );
}

/** In place of more than a hundred names. */
const WHERE_SETTINGS_ARE =
  "--help lists all settings, and /docs/migrate/from-parse of a running server what replaces those of Parse Server";

function readSettings(sources: SettingSources): SettingValues {
  const inputs = new Map(
    SETTING_LIST.map(({ key, info }) => [
      key,
      settingInput({ key, flag: info.flag, variable: info.env }, sources),
    ]),
  );
  const environment = inputs.get("environment")?.value ?? environmentOfNode(sources.env);
  const environmentOfDefaults = environment === "production" ? "production" : "development";
  const values = SETTING_LIST.map(({ key, schema, info }) => [
    key,
    readInput({ ...info, schema }, inputs.get(key), environmentOfDefaults, sources),
  ]);
  // Code that is compiled for one object of this size takes longer, and stays in memory.
  const result = settingsSchema.safeParse({ ...Object.fromEntries(values), environment }, { jitless: true });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const key = String(issue?.path[0]);
  const input = inputs.get(key);
  if (!input) throw new Error(`${key}: ${issue?.message}`);
  throw invalidInput(input, SETTING_LIST.find((setting) => setting.key === key)?.info ?? {}, issue?.message);
}

function environmentOfNode(env: Readonly<Record<string, string | undefined>>): "development" | "production" {
  return env.NODE_ENV === "production" ? "production" : "development";
}

async function resolveKeys(
  values: SettingValues,
  dataDir: string,
): Promise<Pick<Config, "appId" | "masterKey" | "keysPath">> {
  const { appId, masterKey, maintenanceKey } = values;
  if (maintenanceKey !== undefined && maintenanceKey === masterKey) {
    throw new Error("PURSE_MAINTENANCE_KEY must differ from PURSE_MASTER_KEY");
  }
  if (appId && masterKey) return { appId, masterKey, keysPath: undefined };
  const stored = await loadKeys(dataDir);
  return { appId: appId ?? stored.appId, masterKey: masterKey ?? stored.masterKey, keysPath: stored.path };
}

function readKeyFetch({ keyFetchSecret: secret, keyFetchApiKey: apiKey }: SettingValues): Config["keyFetch"] {
  if (secret !== undefined && apiKey !== undefined) return { secret, apiKey };
  if (secret === undefined && apiKey === undefined) return undefined;
  throw new Error("PURSE_KEY_FETCH_SECRET and PURSE_KEY_FETCH_API_KEY must be set together");
}

function readWalletServices(values: SettingValues): WalletServices {
  const { walletConnectProjectId, walletConnectRelayUrl, web3AuthClientId, magicApiKey } = values;
  return {
    walletConnect:
      walletConnectProjectId === undefined
        ? null
        : { projectId: walletConnectProjectId, relayUrl: walletConnectRelayUrl ?? null },
    web3Auth:
      web3AuthClientId === undefined ? null : { clientId: web3AuthClientId, network: values.web3AuthNetwork },
    magic: magicApiKey === undefined ? null : { apiKey: magicApiKey, network: values.magicNetwork },
  };
}

function readDatabase(values: SettingValues, dataDir: string, cwd: string): DatabaseConfig {
  const { databaseUrl, databaseReplicaUrl: replica, databaseDirectUrl: direct } = values;
  if (databaseUrl?.kind === "postgres") {
    if (replica?.kind === "sqlite") throw new Error("PURSE_DATABASE_REPLICA_URL must be postgres://…");
    if (direct?.kind === "sqlite") throw new Error("PURSE_DATABASE_DIRECT_URL must be postgres://…");
    return {
      ...databaseUrl,
      connections: values.databaseConnections,
      ...(replica && {
        replicaUrl: replica.url,
        replicaMaxLagMs: values.databaseReplicaMaxLagSeconds * 1000,
      }),
      ...(direct && { directUrl: direct.url }),
    };
  }
  if (direct) throw new Error("PURSE_DATABASE_DIRECT_URL needs PURSE_DATABASE_URL=postgres://…");
  return { kind: "sqlite", path: resolve(cwd, databaseUrl?.path ?? resolve(dataDir, "purse.sqlite")) };
}

async function cloudFile(setting: string | undefined, cwd: string): Promise<string | undefined> {
  const path = resolve(cwd, setting ?? "cloud/main.ts");
  if (await exists(path)) return path;
  if (setting === undefined) return undefined;
  throw new Error(`PURSE_CLOUD names ${path}, which does not exist`);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
