import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { type AuthContext, internalRequest, MASTER, type RequestContext } from "../core/authContext.ts";
import type { EventBus } from "../core/eventBus.ts";
import type { FunctionCall } from "../core/functionCall.ts";
import { addressKey } from "../core/http/address.ts";
import type { ApiReply, ApiRequest, ApiRoute, Dispatch } from "../core/http/apiRoute.ts";
import { chunkedReply } from "../core/http/chunkedReply.ts";
import { routeOf } from "../core/http/endpoint.ts";
import { isOperatorKey } from "../core/http/masterKey.ts";
import { ValueReply } from "../core/http/valueReply.ts";
import { type AnswerSize, MAX_ANSWER_BYTES } from "../core/limits/answerSize.ts";
import { answerChunks, chargeValues } from "../core/limits/answerText.ts";
import { currentAnswer } from "../core/limits/requestScope.ts";
import type { Logger, LogLevel } from "../core/logger.ts";
import type { Mail } from "../core/mail.ts";
import type { RunBulk } from "../data/objects/bulkWrites.ts";
import type { LiveTriggers } from "../data/objects/liveTriggers.ts";
import type { AuthTriggers, Triggers } from "../data/objects/triggers.ts";
import { runAtDepth } from "./callDepth.ts";
import { CONFIG_CLASS } from "./classNames.ts";
import type { CloudBreaker } from "./cloudBreaker.ts";
import { definitionOf } from "./definitionOf.ts";
import { type CloudFileTriggers, createFileTriggers } from "./fileTriggers.ts";
import { FUNCTION_ENDPOINT } from "./functionEndpoint.ts";
import { createLiveTriggers } from "./liveTriggers.ts";
import { createTriggers } from "./triggers.ts";
import type {
  CallContext,
  ConfigTriggerName,
  Definitions,
  HostRequest,
  Invocation,
  InvocationResult,
  ServerSettings,
} from "./workerMessages.ts";
import { type CloudHealth, WorkerSupervisor } from "./workerSupervisor.ts";

/** A function of the server itself: takes and returns JSON values. */
type BuiltInFunction = (call: FunctionCall) => JsonValue | Promise<JsonValue>;

/** Functions and triggers that webhooks execute. */
export interface RemoteHandlers {
  hasFunction(name: string): boolean;
  hasTrigger(trigger: string): boolean;
  /** Rejects with ProtocolError. */
  run(invocation: Invocation): Promise<InvocationResult>;
}

/** The services of the server that cloud code uses. */
interface CloudHost {
  /** Executes requests of cloud code. */
  dispatch: Dispatch;
  /** Returns a signed-in user as it sees itself, bypassing all triggers, as JSON text. */
  userText(auth: Extract<AuthContext, { kind: "user" }>): Promise<string | undefined>;
  /** Downloads a file by its URL. Rejects with ProtocolError. Without it files cannot be downloaded. */
  download?: (url: string) => Promise<Uint8Array>;
  /** Undefined if e-mail cannot be sent. */
  sendMail?: ((mail: Mail) => Promise<void>) | undefined;
  jobs?: JobProgressReporter;
  /** Writes many objects without triggers. Rejects with ProtocolError. */
  bulk?: RunBulk;
  /** Calls a method of a chain's node (JSON-RPC). Rejects with ProtocolError. Without it there are no chains. */
  callChain?: (chain: string, method: string, params: JsonValue[]) => Promise<JsonValue>;
  /** Functions and triggers that webhooks execute. */
  remote?: RemoteHandlers;
}

export interface CloudDependencies {
  config: { appId: string; functionTimeoutMs: number; maxAnswerBytes?: number };
  /** Settings that the code may read; derived from `config` by default. */
  settings?: ServerSettings;
  events: EventBus;
  logger: Logger;
  logLevel?: LogLevel;
  /** The cloud code file; without it there are only built-in functions. */
  file?: string | undefined;
  /** Module files of plugins. */
  plugins?: string[];
  /** Memory limit of a thread of the cloud code, in MiB. */
  memoryMb?: number;
  /** Maximum number of threads that run functions. */
  maxThreads?: number | undefined;
  /** How long a function or trigger may block its thread, in ms. */
  blockedMs?: number;
  breaker?: CloudBreaker;
  /** Whether the code is reloaded when it changes. */
  watchesFiles?: boolean;
  /** How long loading the code may take, in ms; a minute by default. */
  loadTimeoutMs?: number;
  now?: () => Date;
}

/** Stores the progress messages of jobs. */
export interface JobProgressReporter {
  message(jobId: string, text: string): Promise<void>;
}

/** Cloud functions, triggers and jobs. */
export interface Cloud extends CloudFileTriggers {
  triggers: Triggers & { auth: AuthTriggers };
  routes: ApiRoute[];
  definitions(): Definitions;
  /** The trigger that runs when the application's settings are saved; undefined if there is none. */
  configTrigger(trigger: ConfigTriggerName): ConfigTrigger | undefined;
  live: LiveTriggers;
  /** The trigger that decides which on-chain events become objects of a class; undefined if there is none. */
  consumeTrigger(className: string): ((event: JsonObject) => Promise<boolean>) | undefined;
  /** Runs a function. Rejects with ProtocolError: with 141 if there is no such function. */
  runFunction(name: string, call: FunctionCall): Promise<InvocationResult>;
  /** Runs a job without a time limit. Rejects with ProtocolError. */
  runJob(name: string, params: JsonObject, jobId: string, request: RequestContext): Promise<InvocationResult>;
  /** Adds a built-in function; a cloud function of the same name takes precedence. */
  define(name: string, run: BuiltInFunction): void;
  /** Loads the cloud code. Rejects with the reason if it cannot be loaded. */
  start(host: CloudHost): Promise<void>;
  /** The state of the threads of the cloud code. */
  health(): CloudHealth;
  /** Sorted names of all functions. */
  functionNames(): string[];
  /** Stops the worker and rejects all further calls. */
  stop(): Promise<void>;
}

/** Before a save, `params` are the settings to save; after it, all settings. Rejects with ProtocolError. */
export type ConfigTrigger = (
  params: JsonObject,
  original: JsonObject | undefined,
  request: RequestContext,
) => Promise<void>;

const DEFAULT_MEMORY_MB = 512;

/** Creates the cloud functions. Until the start there are only built-in ones and no triggers. */
export function createCloud(dependencies: CloudDependencies): Cloud {
  const { config, events, logger, file = "", plugins = [], now = () => new Date() } = dependencies;
  const builtIns = new Map<string, BuiltInFunction>([
    ["getServerTime", () => ({ dateTime: now().toISOString() })],
    [
      "getPluginSpecs",
      () => supervisor.definitions.plugins.map(({ name, functions }) => ({ name, functions })),
    ],
  ]);
  const { maxAnswerBytes = MAX_ANSWER_BYTES } = config;
  let host: CloudHost | undefined;
  let functions: ReadonlySet<string> = new Set();
  let triggerNames: ReadonlySet<string> = new Set();
  let isStopped = false;
  const supervisor = new WorkerSupervisor({
    file,
    plugins,
    settings: dependencies.settings ?? defaultSettings(config.appId),
    memoryMb: dependencies.memoryMb ?? DEFAULT_MEMORY_MB,
    timeoutMs: config.functionTimeoutMs,
    maxAnswerBytes,
    maxThreads: dependencies.maxThreads,
    blockedMs: dependencies.blockedMs,
    breaker: dependencies.breaker,
    watchesFiles: dependencies.watchesFiles ?? false,
    loadTimeoutMs: dependencies.loadTimeoutMs,
    handleHostRequest: (hostRequest, depth) => runAtDepth(depth, () => handleHostRequest(hostRequest)),
    onDefined(definitions) {
      functions = new Set(definitions.functions);
      triggerNames = new Set(definitions.triggers);
      events.emit("cloud.defined", definitions);
    },
    logger,
    logLevel: dependencies.logLevel ?? "info",
  });

  const hasHandler = (trigger: string) =>
    triggerNames.has(trigger) || (host?.remote?.hasTrigger(trigger) ?? false);
  const triggers = createTriggers({ hasHandler, callContextOf, run });
  return {
    triggers,
    routes: [routeOf(FUNCTION_ENDPOINT, handle)],
    definitions: () => supervisor.definitions,
    ...createFileTriggers({ hasHandler, callContextOf, run }),
    configTrigger(trigger) {
      if (!hasHandler(`${trigger}.${CONFIG_CLASS}`)) return undefined;
      return async (params, original, request) => {
        const invocation: Invocation = {
          kind: "config",
          trigger,
          params,
          original,
          callContext: await callContextOf(request),
        };
        const { context } = await run(`${trigger} of Parse.Config`, invocation);
        Object.assign(request.context, context);
      };
    },
    live: createLiveTriggers({ hasHandler, callContextOf, run, logger }),
    consumeTrigger(className) {
      if (!triggerNames.has(`beforeConsume.${className}`)) return undefined;
      return async (event) => {
        const callContext = await callContextOf(internalRequest(MASTER));
        const { value } = await run(`beforeConsume of ${className}`, {
          kind: "consume",
          className,
          event,
          callContext,
        });
        return value !== false;
      };
    },
    runFunction,
    async runJob(name, params, jobId, request) {
      const callContext = await callContextOf(request);
      return supervisor.run(name, { kind: "job", name, params, jobId, callContext });
    },
    define: (name, builtIn) => void builtIns.set(name, builtIn),
    async start(services) {
      host = services;
      if (file !== "" || plugins.length > 0) await supervisor.start();
    },
    health: () => supervisor.health(),
    functionNames: () => [...new Set([...functions, ...builtIns.keys()])].sort(),
    async stop() {
      isStopped = true;
      await supervisor.stop();
    },
  };

  async function handle(request: ApiRequest): Promise<ApiReply> {
    const result = await runFunction(request.pathParams.name ?? "", request);
    const answer = currentAnswer(maxAnswerBytes);
    return request.wantsValue ? valueReplyOf(result, answer) : replyOf(result, answer);
  }

  async function runFunction(name: string, call: FunctionCall): Promise<InvocationResult> {
    if (isStopped) throw new ProtocolError(ErrorCode.SCRIPT_FAILED, "The server is stopping");
    if (host?.remote?.hasFunction(name) || functions.has(name)) {
      const { params, formFiles } = call;
      if (formFiles && Object.keys(formFiles).length > 0 && host?.remote?.hasFunction(name))
        throw new ProtocolError(ErrorCode.SCRIPT_FAILED, "Functions of webhooks take no files");
      const callContext = await callContextOf(call);
      return run(name, { kind: "function", name, params, ...(formFiles && { formFiles }), callContext });
    }
    const builtIn = builtIns.get(name);
    if (builtIn) return { value: await builtIn(call) };
    throw new ProtocolError(ErrorCode.SCRIPT_FAILED, `Invalid function: "${name.slice(0, 128)}"`);
  }

  function run(name: string, invocation: Invocation): Promise<InvocationResult> {
    const remote = host?.remote;
    return remote && isRemoteInvocation(invocation, remote)
      ? remote.run(invocation)
      : supervisor.run(name, invocation);
  }

  async function handleHostRequest(hostRequest: HostRequest): Promise<JsonValue> {
    const { bulk, callChain, dispatch, download, jobs, sendMail } = requireHost();
    switch (hostRequest.kind) {
      case "dispatch": {
        const { status, body, headers = {} } = await dispatch(hostRequest.request);
        return { status, body, headers };
      }
      case "sendEmail":
        if (!sendMail) {
          throw new ProtocolError(ErrorCode.OTHER_CAUSE, "E-mail cannot be sent: PURSE_SMTP_URL is not set");
        }
        await sendMail(hostRequest.mail);
        return {};
      case "jobMessage":
        await jobs?.message(hostRequest.jobId, hostRequest.message);
        return {};
      case "bulk":
        if (!bulk) throw new ProtocolError(ErrorCode.OTHER_CAUSE, "There are no bulk functions here");
        return bulk(hostRequest.operation, hostRequest.className, hostRequest.items);
      case "chainCall": {
        if (!callChain) throw new ProtocolError(ErrorCode.OTHER_CAUSE, "There are no chains here");
        return callChain(hostRequest.chain, hostRequest.method, hostRequest.params);
      }
      case "download": {
        if (!download) {
          throw new ProtocolError(ErrorCode.FILE_READ_ERROR, "Files cannot be downloaded here");
        }
        return { base64: Buffer.from(await download(hostRequest.url)).toString("base64") };
      }
    }
  }

  function requireHost(): CloudHost {
    if (!host) throw new Error("cloud code was called before its start");
    return host;
  }

  async function callContextOf(request: RequestContext): Promise<CallContext> {
    const { auth, installationId, context, ip, requestId, headers } = request;
    return {
      user: auth.kind === "user" ? await userWithSession(auth) : undefined,
      roles: auth.kind === "user" ? auth.roles : [],
      master: auth.kind === "master",
      isReadOnly: auth.kind === "master" && auth.readOnly === true,
      installationId,
      context,
      ip,
      headers: visibleHeaders(headers),
      requestId,
      client: clientOf(request),
    };
  }

  async function userWithSession(auth: Extract<AuthContext, { kind: "user" }>): Promise<string> {
    const user = await requireHost().userText(auth);
    if (user === undefined) throw new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Invalid session token");
    return `${user.slice(0, -1)},"sessionToken":${JSON.stringify(auth.sessionToken)}}`;
  }
}

/** The user, or else the address; undefined for the server itself and the holder of the master key. */
function clientOf({ auth, ip, isInternal }: RequestContext): string | undefined {
  if (auth.kind === "user") return `user:${auth.userId}`;
  return isInternal || auth.kind !== "anonymous" ? undefined : `address:${addressKey(ip)}`;
}

function isRemoteInvocation(invocation: Invocation, remote: RemoteHandlers): boolean {
  switch (invocation.kind) {
    case "function":
      return remote.hasFunction(invocation.name);
    case "object":
    case "beforeSave":
    case "beforeFind":
    case "afterFind":
      return remote.hasTrigger(definitionOf(invocation));
    default:
      return false;
  }
}

/** The headers that cloud code and webhooks see. */
function visibleHeaders(headers: RequestContext["headers"] = {}): Record<string, string> {
  const visible: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !isOperatorKey(name)) visible[name] = String(value);
  }
  return visible;
}

async function replyOf(
  { value, status = 200, headers }: InvocationResult,
  answer: AnswerSize,
): Promise<ApiReply> {
  const chunks = value === undefined ? ["{}"] : await answerChunks({ result: value }, answer);
  return chunkedReply(chunks, { status, ...(headers && { headers }) });
}

async function valueReplyOf(
  { value, status = 200 }: InvocationResult,
  answer: AnswerSize,
): Promise<ApiReply> {
  const result: JsonObject = value === undefined ? {} : { result: value };
  return new ValueReply(result, await chargeValues([result], answer), status);
}

function defaultSettings(appId: string): ServerSettings {
  const mountPath = "/server";
  const serverURL = `http://127.0.0.1${mountPath}`;
  return { applicationId: appId, appId, appName: appId, serverURL, publicServerURL: serverURL, mountPath };
}

declare module "../core/eventBus.ts" {
  interface ServerEvents {
    /** What the cloud code has registered, each time that it is loaded or registers something. */
    "cloud.defined": Definitions;
  }
}
