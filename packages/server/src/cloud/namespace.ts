import * as client from "@purse/client";
import { isJsonObject } from "@purse/protocol";
import type { Method } from "../core/http/apiRoute.ts";
import { type CloudDefinitions, createDefinitions, type DefinitionsOptions } from "./definitions.ts";
import type { ServerSettings } from "./workerMessages.ts";

export interface NamespaceOptions extends DefinitionsOptions {
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
  LegacyMembers & {
    Cloud: typeof client.Cloud & CloudDefinitions;
    /** Does nothing: cloud code is already connected to its server. */
    initialize(...ignored: unknown[]): void;
    start(...ignored: unknown[]): Promise<void>;
    applicationId: string;
    /** The URL of the Parse API as clients see it. */
    serverURL: string;
    /** Always undefined: pass `{ useMasterKey: true }`. Old code may still assign it. */
    masterKey: undefined;
    /** Read-only settings of the server, without secrets. */
    readonly Server: Readonly<ServerSettings>;
    readonly Moralis: CloudNamespace;
    readonly Web3: CloudNamespace;
    readonly default: CloudNamespace;
  };

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
    // All invocations share this connection, so nobody is signed in on it.
    tracksCurrentUser: false,
    requestAttemptLimit: 1,
    fetch: (input, init) => {
      const url = String(input);
      // Only files have URLs of other servers.
      return url.startsWith(base)
        ? fetchInProcess(callHost, url.slice(base.length), init)
        : download(callHost, url);
    },
  });
  const namespace = createNamespace(options);
  Object.assign(globalThis, { Parse: namespace, Moralis: namespace });
}

function createNamespace(options: NamespaceOptions): CloudNamespace {
  const Server = Object.freeze({ ...options.settings });
  return {
    ...client,
    ...LEGACY_MEMBERS,
    Cloud: { ...client.Cloud, ...createDefinitions(options) },
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

/** Downloads a saved file through the server. */
async function download(callHost: DefinitionsOptions["callHost"], url: string): Promise<Response> {
  const reply = await callHost({ kind: "download", url });
  if (!isJsonObject(reply) || typeof reply.base64 !== "string")
    throw new Error("The server sent no response");
  return new Response(Buffer.from(reply.base64, "base64"));
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
