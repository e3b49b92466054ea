import { pathToFileURL } from "node:url";
import { User } from "@purse/client";
import { ErrorCode, isJsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../caller.ts";
import type { ApiReply, ApiRequest, ApiRoute, Dispatch } from "../http/api.ts";
import type { Triggers } from "../objects/triggers.ts";
import type { Log } from "../observe/log.ts";
import { installNamespace, runIn, type Scope } from "./namespace.ts";
import { type CloudRequest, type DefinedFunction, newRegistry, validate } from "./registry.ts";
import { createTriggers } from "./triggers.ts";
import { decodeParams, encodeResult } from "./wire.ts";

/** A function of the server itself: takes and answers values as they travel. */
export type BuiltInFunction = (request: ApiRequest) => JsonValue | Promise<JsonValue>;

export interface CloudParts {
  /** Runs requests of cloud code; first called when a function or trigger runs. */
  dispatch: Dispatch;
  config: { appId: string; limits: { functionTimeoutMs: number } };
  /** Path of the Parse protocol; `/server` without one. */
  mountPath?: string;
  log: Log;
  /** The file with the cloud code; without one there are only built-in functions. */
  file?: string | undefined;
  now?: () => Date;
}

/** Functions and triggers on the server. */
export interface Cloud {
  triggers: Triggers;
  routes: ApiRoute[];
  /** Adds a built-in function; one of the same name in the cloud code goes before it. */
  define(name: string, run: BuiltInFunction): void;
  /** Names of all functions, for people. */
  functionNames(): string[];
  /** From now on every call is refused. */
  stop(): Promise<void>;
}

let loads = 0;

/** Loads the cloud code. Rejects with what is wrong with the file. */
export async function createCloud(parts: CloudParts): Promise<Cloud> {
  const { dispatch, config, log, file, mountPath = "/server", now = () => new Date() } = parts;
  const { functionTimeoutMs } = config.limits;
  const registry = newRegistry();
  const scope: Scope = { registry, dispatch, log: log.with({ from: "cloud" }), depth: 0 };
  const builtIns = new Map<string, BuiltInFunction>([
    ["getServerTime", () => ({ dateTime: now().toISOString() })],
    ["getPluginSpecs", () => []],
  ]);
  let stopped = false;
  if (file) await load(file, scope, config.appId, mountPath);

  return {
    triggers: createTriggers({ registry, requestFor, run }),
    routes: [{ method: "POST", path: "/functions/:name", withoutApplication: true, handle }],
    define: (name, builtIn) => void builtIns.set(name, builtIn),
    functionNames: () => [...new Set([...registry.functions.keys(), ...builtIns.keys()])].sort(),
    async stop() {
      stopped = true;
    },
  };

  async function handle(request: ApiRequest): Promise<ApiReply> {
    const name = request.names.name ?? "";
    const defined = registry.functions.get(name);
    if (defined) return resultReply(await runDefined(name, defined, request));
    const builtIn = builtIns.get(name);
    if (builtIn) return resultReply(await builtIn(request));
    throw new ProtocolError(ErrorCode.SCRIPT_FAILED, `Invalid function: "${name.slice(0, 128)}"`);
  }

  async function runDefined(
    name: string,
    { run: code, validator }: DefinedFunction,
    request: ApiRequest,
  ): Promise<JsonValue | undefined> {
    const params = decodeParams(request.params);
    const cloudRequest = await requestFor(request);
    validate(validator, cloudRequest, params);
    return run(name, async () => encodeResult(await code({ ...cloudRequest, params, functionName: name })));
  }

  /** Runs cloud code, gives it its time and turns what it throws into an answer. */
  async function run<T>(name: string, code: () => T | Promise<T>): Promise<T> {
    if (stopped) throw new ProtocolError(ErrorCode.SCRIPT_FAILED, "The server stops");
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        log.warn("cloud code took too long", { name, ms: functionTimeoutMs });
        reject(new ProtocolError(ErrorCode.TIMEOUT, `${name} did not end within ${functionTimeoutMs} ms`));
      }, functionTimeoutMs);
    });
    try {
      return await Promise.race([runIn(scope, async () => code()), timeout]);
    } catch (error) {
      throw asProtocolError(error, name, log);
    } finally {
      clearTimeout(timer);
    }
  }

  async function requestFor(request: RequestContext): Promise<CloudRequest> {
    const { caller, installationId, context, ip, requestId } = request;
    return {
      user: caller.kind === "user" ? await userOf(caller.sessionToken, dispatch) : undefined,
      master: caller.kind === "master",
      installationId,
      context,
      ip,
      log: scope.log.with({ requestId }),
    };
  }
}

async function load(file: string, scope: Scope, appId: string, mountPath: string): Promise<void> {
  await installNamespace(scope, appId, mountPath);
  loads += 1;
  try {
    // The number makes every load a module of its own: its definitions belong to one cloud.
    await runIn(scope, () => import(`${pathToFileURL(file).href}?load=${loads}`));
  } catch (error) {
    throw new Error(`Cloud code ${file}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

async function userOf(sessionToken: string, dispatch: Dispatch): Promise<User | undefined> {
  const reply = await dispatch({ method: "GET", path: "/users/me", params: {}, sessionToken });
  const body: unknown = JSON.parse(reply.body);
  if (reply.status >= 300 || !isJsonObject(body)) {
    throw new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Invalid session token");
  }
  const user = User.fromJSON({ ...body, className: "_User" });
  return user instanceof User ? user : undefined;
}

function resultReply(result: JsonValue | undefined): ApiReply {
  return { status: 200, body: result === undefined ? "{}" : JSON.stringify({ result }) };
}

/** Texts and errors are what the client is told, as in Parse Server; anything else says nothing. */
function asProtocolError(error: unknown, name: string, log: Log): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (typeof error === "string") return new ProtocolError(ErrorCode.SCRIPT_FAILED, error);
  log.warn("cloud code failed", { name, error });
  const message = error instanceof Error && error.message ? error.message : "Script failed.";
  return new ProtocolError(ErrorCode.SCRIPT_FAILED, message);
}
