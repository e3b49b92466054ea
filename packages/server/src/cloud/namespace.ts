import * as client from "@purse/client";
import { isJsonObject } from "@purse/protocol";
import { erc20Abi, erc721Abi, erc1155Abi } from "viem";
import type { Method } from "../core/http/apiRoute.ts";
import { type BulkFunctions, createBulkFunctions } from "./bulkFunctions.ts";
import { type ChainLibraries, createChainLibraries } from "./chainLibraries.ts";
import { type CloudDefinitions, createDefinitions, type DefinitionsOptions } from "./definitions.ts";
import { download } from "./download.ts";
import type { ServerSettings } from "./workerMessages.ts";

export interface NamespaceOptions extends DefinitionsOptions {
  /** The cloud code; packages are found from its folder. */
  file: string;
  settings: ServerSettings;
}

/** Client members with legacy names that also work on the server. */
type LegacyMembers = Pick<
  client.MoralisNamespace,
  "_ajax" | "_decode" | "_encode" | "_getInstallationId" | "_request" | "getServerHealth" | "version"
>;
const { _ajax, _decode, _encode, _getInstallationId, _request, getServerHealth, version } = client.Moralis;
const LEGACY_MEMBERS: LegacyMembers = {
  _ajax,
  _decode,
  _encode,
  _getInstallationId,
  _request,
  getServerHealth,
  version,
};

/** Client members that would change cloud code's own connection. */
type ReplacedMembers = "Cloud" | "Moralis" | "default" | "initialize" | "start";

/** The globals `Parse` and `Moralis` of cloud code. */
export type CloudNamespace = Omit<typeof client, ReplacedMembers> &
  LegacyMembers &
  BulkFunctions &
  ChainLibraries & {
    Cloud: typeof client.Cloud & CloudDefinitions & Pick<ChainLibraries, "web3ForChain">;
    /** Does nothing: cloud code is already connected to its server. */
    initialize(...ignored: unknown[]): void;
    start(...ignored: unknown[]): Promise<void>;
    applicationId: string;
    /** The URL of the Parse API as clients see it. */
    serverURL: string;
    /** Always undefined: pass `{ useMasterKey: true }`. Old code may still assign it. */
    masterKey: undefined;
    /** ABIs of the token standards, also as `Moralis.Web3.abis`. */
    readonly abis: typeof ABIS;
    readonly settings: {
      /** Does nothing but log a warning: limits are set by `rateLimits` of the config file. */
      setAPIRateLimit(limits: object): void;
    };
    /** Read-only settings of the server, without secrets. */
    readonly Server: Readonly<ServerSettings>;
    readonly Moralis: CloudNamespace;
    readonly Web3: CloudNamespace;
    readonly default: CloudNamespace;
  };

const ABIS = { erc20: erc20Abi, erc721: erc721Abi, erc1155: erc1155Abi } as const;

const IN_PROCESS_ORIGIN = "http://in-process";
/** Placeholder for the right to use the master key; cloud code never sees the key itself. */
const IN_PROCESS_MASTER_KEY = "in-process";

/** Sets the globals and connects the client's classes to the server in this process. */
export async function installNamespace(options: NamespaceOptions): Promise<void> {
  const { settings, callHost } = options;
  const base = `${IN_PROCESS_ORIGIN}${settings.mountPath}`;
  await client.start({
    appId: settings.applicationId,
    serverUrl: base,
    masterKey: IN_PROCESS_MASTER_KEY,
    plugins: [],
    // All invocations share this connection, so it has no signed-in user.
    tracksCurrentUser: false,
    requestAttemptLimit: 1,
    fetch: async (input, init) => {
      const url = String(input);
      // Only files have URLs of other servers.
      return url.startsWith(base)
        ? fetchInProcess(callHost, url.slice(base.length), init)
        : new Response(Buffer.from(await download(callHost, url), "base64"));
    },
  });
  const namespace = createNamespace(options);
  Object.assign(globalThis, { Parse: namespace, Moralis: namespace });
}

function createNamespace(options: NamespaceOptions): CloudNamespace {
  const Server = Object.freeze({ ...options.settings });
  const libraries = createChainLibraries(options.file, options.callHost);
  return {
    ...client,
    ...LEGACY_MEMBERS,
    ...libraries,
    ...createBulkFunctions(options.callHost),
    abis: ABIS,
    settings: {
      setAPIRateLimit: () =>
        options.logger.warn("setAPIRateLimit has no effect: set rateLimits in purse.config.ts"),
    },
    Cloud: { ...client.Cloud, ...createDefinitions(options), web3ForChain: libraries.web3ForChain },
    initialize: () => undefined,
    start: async () => undefined,
    // Old code assigns these; the assignments are ignored.
    get applicationId() {
      return Server.applicationId;
    },
    set applicationId(_) {},
    get serverURL() {
      return Server.serverURL;
    },
    set serverURL(_) {},
    get masterKey() {
      return undefined;
    },
    set masterKey(_) {},
    Server,
    get Moralis() {
      return this;
    },
    get Web3() {
      return this;
    },
    get default() {
      return this;
    },
  };
}

/** The in-process transport: sends the client's envelope to the server without a socket. */
async function fetchInProcess(
  callHost: DefinitionsOptions["callHost"],
  path: string,
  init: RequestInit | undefined,
): Promise<Response> {
  const body: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : {};
  if (!isJsonObject(body)) throw new Error("An in-process request needs a JSON object as body");
  const headers = new Headers(init?.headers);
  // In-process uploads are never interrupted, so they need not be resumable.
  if (headers.has("tus-resumable")) return new Response(null, { status: 404 });
  const { _method, _MasterKey, _SessionToken, _InstallationId, _context, ...rest } = body;
  const { _ApplicationId, _JavaScriptKey, _ClientVersion, _RevocableSession, ...params } = rest;
  // Requests without an envelope carry their credentials in headers.
  const text = (value: unknown, header: string) =>
    typeof value === "string" ? value : (headers.get(header) ?? undefined);
  const reply = await callHost({
    kind: "dispatch",
    request: {
      method: methodOf(_method ?? init?.method),
      path: path.startsWith("/") ? path : `/${path}`,
      params,
      sessionToken: text(_SessionToken, "x-parse-session-token"),
      useMasterKey: text(_MasterKey, "x-parse-master-key") === IN_PROCESS_MASTER_KEY,
      installationId: text(_InstallationId, "x-parse-installation-id"),
      context: isJsonObject(_context) ? _context : {},
    },
  });
  if (!isJsonObject(reply) || typeof reply.status !== "number" || typeof reply.body !== "string") {
    throw new Error("The server sent no response");
  }
  return new Response(reply.body, { status: reply.status, headers: headerStrings(reply.headers) });
}

function headerStrings(headers: unknown): Record<string, string> {
  if (!isJsonObject(headers)) return {};
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function methodOf(value: unknown): Method {
  return value === "GET" || value === "PUT" || value === "DELETE" ? value : "POST";
}
