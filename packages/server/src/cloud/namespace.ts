import { AsyncLocalStorage } from "node:async_hooks";
import * as client from "@purse/client";
import { ErrorCode, isJsonObject, ProtocolError } from "@purse/protocol";
import type { Dispatch, Method } from "../http/api.ts";
import type { Log } from "../observe/log.ts";
import {
  type AfterFindTrigger,
  assertFunction,
  type BeforeFindTrigger,
  type ClassReference,
  type CloudFunction,
  classNameOf,
  type ObjectTrigger,
  type Registry,
  type Validator,
} from "./registry.ts";

/** The cloud that code runs for, and how many functions and triggers led to it. */
export interface Scope {
  registry: Registry;
  dispatch: Dispatch;
  log: Log;
  depth: number;
}

/** What `Parse.Cloud` offers to cloud code beside what clients have. */
export interface CloudDefinitions {
  define(name: string, run: CloudFunction, validator?: Validator): void;
  beforeSave(className: ClassReference, trigger: ObjectTrigger): void;
  afterSave(className: ClassReference, trigger: ObjectTrigger): void;
  beforeDelete(className: ClassReference, trigger: ObjectTrigger): void;
  afterDelete(className: ClassReference, trigger: ObjectTrigger): void;
  beforeFind(className: ClassReference, trigger: BeforeFindTrigger): void;
  afterFind(className: ClassReference, trigger: AfterFindTrigger): void;
  getLogger(): Log;
  /** Does nothing, as in Parse Server: pass `{ useMasterKey: true }` to the call that needs it. */
  useMasterKey(): void;
}

/** The globals `Parse` and `Moralis` of cloud code. */
export type CloudNamespace = Omit<typeof client, "Cloud"> & { Cloud: typeof client.Cloud & CloudDefinitions };

const scopes = new AsyncLocalStorage<Scope>();
/** For code that runs outside any request, such as a timer that a module set. */
let latest: Scope | undefined;

const ORIGIN = "http://in-process";
/** Stands for the right to use the master key; the key itself never comes near cloud code. */
const INNER_MASTER_KEY = "in-process";
const MAX_DEPTH = 20;

/** Runs code of a cloud: what it defines and asks goes to that cloud. Throws 141 when calls lead to calls without end. */
export function runIn<T>(scope: Scope, run: () => T): T {
  const depth = (scopes.getStore()?.depth ?? 0) + 1;
  if (depth > MAX_DEPTH) {
    throw new ProtocolError(
      ErrorCode.SCRIPT_FAILED,
      `Cloud functions and triggers call each other more than ${MAX_DEPTH} deep`,
    );
  }
  return scopes.run({ ...scope, depth }, run);
}

/** Sets the globals, and connects the client's classes with the server in this process. */
export async function installNamespace(scope: Scope, appId: string, mountPath: string): Promise<void> {
  latest = scope;
  await client.start({
    appId,
    serverUrl: `${ORIGIN}${mountPath}`,
    masterKey: INNER_MASTER_KEY,
    plugins: [],
    // Code of all callers shares this connection: nobody is signed in on it.
    keepsCurrentUser: false,
    requestAttemptLimit: 1,
    fetch: (input, init) => fetchInProcess(String(input).slice(ORIGIN.length + mountPath.length), init),
  });
  const namespace: CloudNamespace = { ...client, Cloud: { ...client.Cloud, ...definitions() } };
  Object.assign(globalThis, { Parse: namespace, Moralis: namespace });
}

function current(): Scope {
  const scope = scopes.getStore() ?? latest;
  if (scope) return scope;
  throw new Error("Parse.Cloud is only there for cloud code");
}

/** The in-process transport: the client's envelope goes to the doors without a socket in between. */
async function fetchInProcess(path: string, init: RequestInit | undefined): Promise<Response> {
  const body: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : {};
  if (!isJsonObject(body)) throw new Error("An in-process request needs a JSON object as body");
  const { _method, _MasterKey, _SessionToken, _InstallationId, _context, ...rest } = body;
  const { _ApplicationId, _JavaScriptKey, _ClientVersion, _RevocableSession, ...params } = rest;
  const reply = await current().dispatch({
    method: methodOf(_method ?? init?.method),
    path: path.startsWith("/") ? path : `/${path}`,
    params,
    sessionToken: typeof _SessionToken === "string" ? _SessionToken : undefined,
    useMasterKey: _MasterKey === INNER_MASTER_KEY,
    installationId: typeof _InstallationId === "string" ? _InstallationId : undefined,
    context: isJsonObject(_context) ? _context : {},
  });
  return new Response(reply.body, { status: reply.status, ...(reply.headers && { headers: reply.headers }) });
}

function methodOf(value: unknown): Method {
  return value === "GET" || value === "PUT" || value === "DELETE" ? value : "POST";
}

function definitions(): CloudDefinitions {
  return {
    define(name, run, validator = {}) {
      assertFunction(name, run, validator);
      current().registry.functions.set(name, { run, validator });
    },
    beforeSave: (className, trigger) =>
      void current().registry.beforeSave.set(classNameOf(className), trigger),
    afterSave: (className, trigger) => void current().registry.afterSave.set(classNameOf(className), trigger),
    beforeDelete: (className, trigger) =>
      void current().registry.beforeDelete.set(classNameOf(className), trigger),
    afterDelete: (className, trigger) =>
      void current().registry.afterDelete.set(classNameOf(className), trigger),
    beforeFind: (className, trigger) =>
      void current().registry.beforeFind.set(classNameOf(className), trigger),
    afterFind: (className, trigger) => void current().registry.afterFind.set(classNameOf(className), trigger),
    getLogger: () => current().log,
    useMasterKey: () => undefined,
    ...unavailable(),
  };
}

/** What other servers offer and this one does not yet: existing cloud code loads, and the log says what is left out. */
function unavailable(): Record<string, () => void> {
  const names = [
    "job",
    "beforeLogin",
    "afterLogin",
    "afterLogout",
    "beforeSaveFile",
    "afterSaveFile",
    "beforeDeleteFile",
    "afterDeleteFile",
  ];
  const warn = (name: string) => () =>
    current().log.warn(`Cloud.${name} is not available yet: what the cloud code registers by it never runs`);
  return Object.fromEntries(names.map((name) => [name, warn(name)]));
}
