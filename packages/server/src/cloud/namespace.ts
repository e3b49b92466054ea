import * as client from "@purse/client";
import { isJsonObject } from "@purse/protocol";
import type { Method } from "../http/api.ts";
import { type CloudDefinitions, createDefinitions, type DefinitionsOptions } from "./definitions.ts";
import type { ServerSettings } from "./messages.ts";

export interface NamespaceOptions extends DefinitionsOptions {
  settings: ServerSettings;
}

/** What clients have, under the names of old code, that works on the server too. */
type OldNames = Pick<
  client.MoralisNamespace,
  "_ajax" | "_decode" | "_encode" | "_getInstallationId" | "_request" | "getServerHealth" | "version"
>;
const { _ajax, _decode, _encode, _getInstallationId, _request, getServerHealth, version } = client.Moralis;
const OLD_NAMES: OldNames = {
  _ajax,
  _decode,
  _encode,
  _getInstallationId,
  _request,
  getServerHealth,
  version,
};

/** Members of the client that would lead cloud code's own connection elsewhere. */
type Replaced = "Cloud" | "Moralis" | "default" | "initialize" | "start";

/** The globals `Parse` and `Moralis` of cloud code. */
export type CloudNamespace = Omit<typeof client, Replaced> &
  OldNames & {
    Cloud: typeof client.Cloud & CloudDefinitions;
    /** Do nothing: cloud code is connected with its server already. */
    initialize(...ignored: unknown[]): void;
    start(...ignored: unknown[]): Promise<void>;
    applicationId: string;
    /** The address of the Parse protocol as clients see it. */
    serverURL: string;
    /** Always undefined: pass `{ useMasterKey: true }`. Old code that sets it goes on to run. */
    masterKey: undefined;
    /** Settings of the server, without secrets. They cannot be changed here. */
    readonly Server: Readonly<ServerSettings>;
    readonly Moralis: CloudNamespace;
    readonly Web3: CloudNamespace;
    readonly default: CloudNamespace;
  };

const ORIGIN = "http://in-process";
/** Stands for the right to use the master key; the key itself never comes near cloud code. */
const INNER_MASTER_KEY = "in-process";

/** Sets the globals, and connects the client's classes with the server in this process. */
export async function installNamespace(options: NamespaceOptions): Promise<void> {
  const { settings, ask } = options;
  const base = `${ORIGIN}${settings.mountPath}`;
  await client.start({
    appId: settings.applicationId,
    serverUrl: base,
    masterKey: INNER_MASTER_KEY,
    plugins: [],
    // Code of all callers shares this connection: nobody is signed in on it.
    tracksCurrentUser: false,
    requestAttemptLimit: 1,
    fetch: (input, init) => {
      const url = String(input);
      // Only files have addresses elsewhere.
      return url.startsWith(base) ? fetchInProcess(ask, url.slice(base.length), init) : download(ask, url);
    },
  });
  const namespace = createNamespace(options);
  Object.assign(globalThis, { Parse: namespace, Moralis: namespace });
}

function createNamespace(options: NamespaceOptions): CloudNamespace {
  const Server = Object.freeze({ ...options.settings });
  return {
    ...client,
    ...OLD_NAMES,
    Cloud: { ...client.Cloud, ...createDefinitions(options) },
    initialize: () => undefined,
    start: async () => undefined,
    // Old code sets these although it need not: what it sets changes nothing.
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

/** The content of a file that has been saved, read by the server. */
async function download(ask: DefinitionsOptions["ask"], url: string): Promise<Response> {
  const reply = await ask({ what: "download", url });
  if (!isJsonObject(reply) || typeof reply.base64 !== "string") throw new Error("The server gave no answer");
  return new Response(Buffer.from(reply.base64, "base64"));
}

/** The in-process transport: the client's envelope goes to the doors without a socket in between. */
async function fetchInProcess(
  ask: DefinitionsOptions["ask"],
  path: string,
  init: RequestInit | undefined,
): Promise<Response> {
  const body: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : {};
  if (!isJsonObject(body)) throw new Error("An in-process request needs a JSON object as body");
  const headers = new Headers(init?.headers);
  // Inside the process nothing is interrupted: files are sent at once.
  if (headers.has("tus-resumable")) return new Response(null, { status: 404 });
  const { _method, _MasterKey, _SessionToken, _InstallationId, _context, ...rest } = body;
  const { _ApplicationId, _JavaScriptKey, _ClientVersion, _RevocableSession, ...params } = rest;
  // Calls without an envelope carry their credentials in headers.
  const text = (value: unknown, header: string) =>
    typeof value === "string" ? value : (headers.get(header) ?? undefined);
  const reply = await ask({
    what: "dispatch",
    request: {
      method: methodOf(_method ?? init?.method),
      path: path.startsWith("/") ? path : `/${path}`,
      params,
      sessionToken: text(_SessionToken, "x-parse-session-token"),
      useMasterKey: text(_MasterKey, "x-parse-master-key") === INNER_MASTER_KEY,
      installationId: text(_InstallationId, "x-parse-installation-id"),
      context: isJsonObject(_context) ? _context : {},
    },
  });
  if (!isJsonObject(reply) || typeof reply.status !== "number" || typeof reply.body !== "string") {
    throw new Error("The server gave no answer");
  }
  return new Response(reply.body, { status: reply.status, headers: textsOf(reply.headers) });
}

function textsOf(headers: unknown): Record<string, string> {
  if (!isJsonObject(headers)) return {};
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function methodOf(value: unknown): Method {
  return value === "GET" || value === "PUT" || value === "DELETE" ? value : "POST";
}
