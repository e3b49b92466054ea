import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import type { Config } from "@purse/server";
import { saveCloudCode, watchCloudCode } from "./cloudCode.ts";

export const MORALIS_HELP = `  watch-cloud-folder --moralisCloudfolder FOLDER [--out FILE]
  watch-cloud-file --moralisCloudfile FILE [--out FILE]
                                         joins cloud code into the file that PURSE_CLOUD names, after each change
  save-cloud-code --moralisCloudfolder FOLDER [--out FILE]
                                         the same once
  get-cloud-code                         shows the cloud code
  get-logs [--server URL] [--level info|error] [--once]
                                         shows the log of a running server and its new lines
  add-contract --abiPath FILE --address ADDRESS --topic EVENT --tableName CLASS [--chain CHAIN] [--sync_historical]
                                         stores the events of a contract as objects
  connect-local-devchain [--chain hardhat|ganache]
                                         shows the settings for a local chain`;

/** Options of the commands, with those of the old program that have no effect. */
export const MORALIS_OPTIONS = {
  moralisCloudfolder: { type: "string" },
  moralisCloudfile: { type: "string" },
  autoSave: { type: "string" },
  moralisApiKey: { type: "string" },
  moralisApiSecret: { type: "string" },
  moralisSubdomain: { type: "string" },
  frpcPath: { type: "string" },
  abiPath: { type: "string" },
  address: { type: "string" },
  topic: { type: "string" },
  tableName: { type: "string" },
  chain: { type: "string" },
  sync_historical: { type: "boolean" },
  level: { type: "string" },
  once: { type: "boolean" },
} as const;

interface MoralisValues {
  moralisCloudfolder?: string;
  moralisCloudfile?: string;
  out?: string;
  server?: string;
  abiPath?: string;
  address?: string;
  topic?: string;
  tableName?: string;
  chain?: string;
  sync_historical?: boolean;
  level?: string;
  once?: boolean;
}

interface MoralisContext {
  config: Config;
  /** `PURSE_CLOUD`. */
  cloud: string | undefined;
  cwd: string;
  print(text: string): void;
  signal: AbortSignal | undefined;
}

type Command = (values: MoralisValues, context: MoralisContext) => Promise<void> | void;

/** Commands that write the cloud code, which therefore need not exist. */
export const WRITES_CLOUD_CODE: ReadonlySet<string> = new Set([
  "watch-cloud-folder",
  "watch-cloud-file",
  "save-cloud-code",
]);

const LOCAL_PORTS: Readonly<Record<string, number>> = { hardhat: 8545, ganache: 7545 };
const LOG_INTERVAL_MS = 1_000;
const FIRST_LINES = 100;
const MAX_LINES = 2_000;

/** The commands of moralis-admin-cli that make sense for a server of one's own. */
export const MORALIS_COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ["watch-cloud-folder", watchFiles],
  ["watch-cloud-file", watchFiles],
  ["save-cloud-code", (values, context) => context.print(saveCloudCode(cloudPaths(values, context)))],
  ["get-cloud-code", showCloudCode],
  ["get-logs", showLogs],
  ["add-contract", addContract],
  ["connect-local-devchain", connectLocalChain],
  ["deploy", () => refuse("deploy", "serve the files of your application by any web server")],
  ["undeploy", () => refuse("undeploy", "remove the files of your application from your web server")],
  ["create-server", () => refuse("create-server", "npm start runs a server")],
  ["update-server", () => refuse("update-server", "restart the server after an update")],
]);

function watchFiles(values: MoralisValues, context: MoralisContext): Promise<void> {
  return watchCloudCode(cloudPaths(values, context), context.print, context.signal);
}

function cloudPaths(values: MoralisValues, { cloud, cwd }: MoralisContext) {
  const source = required(values.moralisCloudfolder ?? values.moralisCloudfile, "--moralisCloudfolder");
  const out = values.out ?? cloud ?? "cloud/moralis.js";
  return { source: resolve(cwd, source), out: resolve(cwd, out) };
}

function showCloudCode(_: MoralisValues, { config, print }: MoralisContext): void {
  if (config.cloudFile === undefined) throw new Error("There is no cloud code: PURSE_CLOUD names its file");
  print(readFileSync(config.cloudFile, "utf8").trimEnd());
}

/** Shows the last lines of the server's log and, unless `once` is set, new ones until the signal aborts. */
async function showLogs(values: MoralisValues, context: MoralisContext): Promise<void> {
  const { print, signal } = context;
  const linesOf = async (params: Record<string, string>): Promise<JsonObject[]> => {
    const search = new URLSearchParams({ level: values.level ?? "info", ...params });
    const lines = await callServer(values, context, "GET", `/scriptlog?${search}`);
    return Array.isArray(lines) ? lines.filter(isJsonObject) : [];
  };
  let newest = "";
  /** Number of lines with the newest time, which are sent again. */
  let shown = 0;
  for (;;) {
    const lines =
      newest === ""
        ? (await linesOf({ order: "desc", size: String(FIRST_LINES) })).reverse()
        : (await linesOf({ order: "asc", size: String(MAX_LINES), from: newest })).slice(shown);
    for (const line of lines) {
      const timestamp = String(line.timestamp ?? "");
      print(`${timestamp} ${String(line.level ?? "")} ${String(line.message ?? "")}`);
      shown = timestamp === newest ? shown + 1 : 1;
      newest = timestamp;
    }
    if (values.once || signal?.aborted) return;
    await sleep(LOG_INTERVAL_MS, undefined, signal && { signal }).catch(() => undefined);
    if (signal?.aborted) return;
  }
}

async function addContract(values: MoralisValues, context: MoralisContext): Promise<void> {
  const file = resolve(context.cwd, required(values.abiPath, "--abiPath"));
  const json: unknown = JSON.parse(readFileSync(file, "utf8"));
  const abi = isJsonObject(json) && Array.isArray(json.abi) ? json.abi : json;
  const events = (Array.isArray(abi) ? abi : [abi])
    .filter(isJsonObject)
    .filter(({ type }) => type === "event");
  const topic = values.topic ?? (events.length === 1 ? String(events[0]?.name) : undefined);
  if (topic === undefined) {
    const names = events.map(({ name }) => String(name)).join(", ");
    throw new Error(`--topic is missing: ${file} has the events ${names}`);
  }
  const watch: JsonObject = {
    address: required(values.address, "--address"),
    tableName: required(values.tableName, "--tableName"),
    chainId: values.chain ?? "0x1",
    topic,
    abi: events,
    sync_historical: values.sync_historical ?? false,
  };
  await callServer(values, context, "POST", "/functions/watchContractEvent", watch);
  context.print(`${topic} of ${String(watch.address)} is stored in ${String(watch.tableName)}`);
}

/** There is no tunnel to a hosted server: this server calls the chain itself. */
async function connectLocalChain(
  { chain = "hardhat" }: MoralisValues,
  context: MoralisContext,
): Promise<void> {
  const port = LOCAL_PORTS[chain];
  if (port === undefined) throw new Error(`--chain is hardhat or ganache, not ${chain}`);
  const url = `http://127.0.0.1:${port}`;
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }),
  }).catch(() => undefined);
  const answer: unknown = await response?.json().catch(() => undefined);
  const id = isJsonObject(answer) ? Number(answer.result) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw new Error(`No chain responds at ${url}`);
  context.print(
    [
      `Start the server with these settings; it needs no tunnel to chain ${id}:`,
      "PURSE_DEV_CHAIN=0",
      `PURSE_CHAIN_LOCALDEVCHAIN_RPC_URL=${url}`,
      `PURSE_CHAIN_LOCALDEVCHAIN_ID=${id}`,
    ].join("\n"),
  );
}

async function callServer(
  { server }: MoralisValues,
  { config: { appId, masterKey, port } }: MoralisContext,
  method: string,
  path: string,
  body?: JsonObject,
): Promise<unknown> {
  const url = (server ?? `http://127.0.0.1:${port}/server`).replace(/\/+$/, "");
  const headers = {
    "content-type": "application/json",
    "x-parse-application-id": appId,
    "x-parse-master-key": masterKey,
  };
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => undefined);
  if (!response) throw new Error(`No server responds at ${url}: name it with --server`);
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer;
  const reason = isJsonObject(answer) && typeof answer.error === "string" ? answer.error : undefined;
  throw new Error(`${url} refuses: ${reason ?? `status ${response.status}`}`);
}

function refuse(command: string, instead: string): never {
  throw new Error(`${command} is for the hosted service: ${instead}`);
}

function required(value: string | undefined, option: string): string {
  if (value !== undefined && value !== "") return value;
  throw new Error(`${option} is missing`);
}
