import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { AuthContext, RequestContext } from "../authContext.ts";
import type { ApiReply, ApiRequest, ApiRoute, Dispatch } from "../http/api.ts";
import type { Mail } from "../mail/mailer.ts";
import type { Triggers } from "../objects/triggers.ts";
import type { Log, LogLevel } from "../observe/log.ts";
import { CONFIG_CLASS } from "./classNames.ts";
import { CodeHost } from "./codeHost.ts";
import { createFileTriggers, type FileTriggersOfCode } from "./fileTriggers.ts";
import { createLiveTriggers, type LiveTriggers } from "./liveTriggers.ts";
import type {
  Ask,
  Cause,
  ConfigTriggerName,
  Definitions,
  Outcome,
  ServerSettings,
  Task,
} from "./messages.ts";
import { atDepth } from "./scope.ts";
import { createTriggers, type PeopleTriggers } from "./triggers.ts";

/** A function of the server itself: takes and answers values as they travel. */
export type BuiltInFunction = (request: ApiRequest) => JsonValue | Promise<JsonValue>;

/** Functions and triggers that other servers carry out. */
export interface Remote {
  hasFunction(name: string): boolean;
  hasTrigger(trigger: string): boolean;
  /** Rejects with ProtocolError. */
  run(task: Task): Promise<Outcome>;
}

export interface CloudParts {
  /** Runs requests of cloud code; first called when a function or trigger runs. */
  dispatch: Dispatch;
  /** A signed-in user as it sees itself, read past every trigger. */
  userOf(auth: Extract<AuthContext, { kind: "user" }>): Promise<JsonObject | undefined>;
  config: { appId: string; limits: { functionTimeoutMs: number } };
  /** What the code may know of the server; made from `config` where it is not given. */
  settings?: ServerSettings;
  /** The content of a file by its address. Rejects with ProtocolError. Without it no file is read by its address. */
  download?: (url: string) => Promise<Uint8Array>;
  log: Log;
  logLevel?: LogLevel;
  /** The file with the cloud code; without one there are only built-in functions. */
  file?: string | undefined;
  /** Files of plugins. */
  plugins?: string[];
  /** Most memory that the cloud code may take, in MiB. */
  memoryMb?: number;
  /** Whether the code is loaded again when it changes. */
  isWatched?: boolean;
  /** Undefined where no mails can be sent. */
  sendMail?: ((mail: Mail) => Promise<void>) | undefined;
  now?: () => Date;
}

/** Where jobs put down how far they have come. */
export interface JobMessages {
  message(jobId: string, text: string): Promise<void>;
}

/** Functions, triggers and jobs on the server. */
export interface Cloud extends FileTriggersOfCode {
  triggers: Triggers & { people: PeopleTriggers };
  routes: ApiRoute[];
  definitions(): Definitions;
  /** Told whenever the code has registered something. */
  onDefined(listener: (definitions: Definitions) => void): void;
  /** What runs when the application's settings are saved; undefined where the code has no such trigger. */
  configTrigger(trigger: ConfigTriggerName): ConfigTrigger | undefined;
  live: LiveTriggers;
  /** Runs a job's code for as long as it takes. Rejects with ProtocolError. */
  runJob(name: string, params: JsonObject, jobId: string, request: RequestContext): Promise<Outcome>;
  /** Adds a built-in function; one of the same name in the cloud code goes before it. */
  define(name: string, run: BuiltInFunction): void;
  /** Parts that are made after this one. */
  attach(parts: { jobs?: JobMessages; remote?: Remote }): void;
  /** Names of all functions, for people. */
  functionNames(): string[];
  /** From now on every call is refused. */
  stop(): Promise<void>;
}

/** `params` are the settings that are saved, or all of them once they are. Rejects with ProtocolError. */
export type ConfigTrigger = (
  params: JsonObject,
  original: JsonObject | undefined,
  request: RequestContext,
) => Promise<void>;

const DEFAULT_MEMORY_MB = 512;

/** Loads the cloud code. Rejects with what is wrong with the file. */
export async function createCloud(parts: CloudParts): Promise<Cloud> {
  const { dispatch, config, log, file = "", plugins = [], now = () => new Date() } = parts;
  const builtIns = new Map<string, BuiltInFunction>([
    ["getServerTime", () => ({ dateTime: now().toISOString() })],
    ["getPluginSpecs", () => host.definitions.plugins.map(({ name, functions }) => ({ name, functions }))],
  ]);
  const attached: { jobs?: JobMessages; remote?: Remote } = {};
  const listeners: ((definitions: Definitions) => void)[] = [];
  let functions: ReadonlySet<string> = new Set();
  let triggerNames: ReadonlySet<string> = new Set();
  let isStopped = false;
  const host = new CodeHost({
    file,
    plugins,
    settings: parts.settings ?? settingsOf(config.appId),
    memoryMb: parts.memoryMb ?? DEFAULT_MEMORY_MB,
    timeoutMs: config.limits.functionTimeoutMs,
    isWatched: parts.isWatched ?? false,
    answer: (ask, depth) => atDepth(depth, () => answer(ask)),
    onDefined(definitions) {
      functions = new Set(definitions.functions);
      triggerNames = new Set(definitions.triggers);
      for (const listener of listeners) listener(definitions);
    },
    log,
    logLevel: parts.logLevel ?? "info",
  });
  if (file !== "" || plugins.length > 0) await host.start();

  const has = (trigger: string) =>
    triggerNames.has(trigger) || (attached.remote?.hasTrigger(trigger) ?? false);
  const triggers = createTriggers({ has, causeOf, run });
  return {
    triggers,
    routes: [{ method: "POST", path: "/functions/:name", withoutApplication: true, handle }],
    definitions: () => host.definitions,
    onDefined(listener) {
      listeners.push(listener);
      listener(host.definitions);
    },
    ...createFileTriggers({ has, causeOf, run }),
    configTrigger(trigger) {
      if (!has(`${trigger}.${CONFIG_CLASS}`)) return undefined;
      return async (params, original, request) => {
        const task: Task = { kind: "config", trigger, params, original, cause: await causeOf(request) };
        const { context } = await run(`${trigger} of Parse.Config`, task);
        Object.assign(request.context, context);
      };
    },
    live: createLiveTriggers({ has, causeOf, run, log }),
    async runJob(name, params, jobId, request) {
      const cause = await causeOf(request);
      return host.run(name, { kind: "job", name, params, jobId, cause }, 0);
    },
    define: (name, builtIn) => void builtIns.set(name, builtIn),
    attach: (more) => void Object.assign(attached, more),
    functionNames: () => [...new Set([...functions, ...builtIns.keys()])].sort(),
    async stop() {
      isStopped = true;
      await host.stop();
    },
  };

  async function handle(request: ApiRequest): Promise<ApiReply> {
    const name = request.names.name ?? "";
    if (isStopped) throw new ProtocolError(ErrorCode.SCRIPT_FAILED, "The server stops");
    if (attached.remote?.hasFunction(name) || functions.has(name)) {
      const { params } = request;
      const outcome = await run(name, { kind: "function", name, params, cause: await causeOf(request) });
      return replyOf(outcome);
    }
    const builtIn = builtIns.get(name);
    if (builtIn) return replyOf({ value: await builtIn(request) });
    throw new ProtocolError(ErrorCode.SCRIPT_FAILED, `Invalid function: "${name.slice(0, 128)}"`);
  }

  function run(name: string, task: Task): Promise<Outcome> {
    const { remote } = attached;
    return remote && isRemote(task, remote) ? remote.run(task) : host.run(name, task);
  }

  async function answer(ask: Ask): Promise<JsonValue> {
    switch (ask.what) {
      case "dispatch": {
        const { status, body, headers = {} } = await dispatch(ask.request);
        return { status, body, headers };
      }
      case "sendEmail":
        if (!parts.sendMail) {
          throw new ProtocolError(ErrorCode.OTHER_CAUSE, "Mails cannot be sent: PURSE_SMTP_URL is not set");
        }
        await parts.sendMail(ask.mail);
        return {};
      case "jobMessage":
        await attached.jobs?.message(ask.jobId, ask.message);
        return {};
      case "download": {
        if (!parts.download) {
          throw new ProtocolError(ErrorCode.FILE_READ_ERROR, "Files cannot be read by their address here");
        }
        return { base64: Buffer.from(await parts.download(ask.url)).toString("base64") };
      }
    }
  }

  async function causeOf(request: RequestContext): Promise<Cause> {
    const { auth, installationId, context, ip, requestId, headers = {} } = request;
    return {
      user: auth.kind === "user" ? await userFor(auth) : undefined,
      roles: auth.kind === "user" ? auth.roles : [],
      master: auth.kind === "master",
      isReadOnly: auth.kind === "master" && auth.readOnly === true,
      installationId,
      context,
      ip,
      headers: { ...headers },
      requestId,
    };
  }

  async function userFor(auth: Extract<AuthContext, { kind: "user" }>): Promise<JsonObject> {
    const user = await parts.userOf(auth);
    if (!user) throw new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Invalid session token");
    return { ...user, sessionToken: auth.sessionToken };
  }
}

function isRemote(task: Task, remote: Remote): boolean {
  switch (task.kind) {
    case "function":
      return remote.hasFunction(task.name);
    case "object":
      return remote.hasTrigger(`${task.trigger}.${task.className}`);
    case "beforeSave":
    case "beforeFind":
    case "afterFind":
      return remote.hasTrigger(`${task.kind}.${task.className}`);
    default:
      return false;
  }
}

function replyOf({ value, status = 200, headers }: Outcome): ApiReply {
  return {
    status,
    body: value === undefined ? "{}" : JSON.stringify({ result: value }),
    ...(headers && { headers }),
  };
}

function settingsOf(appId: string): ServerSettings {
  const mountPath = "/server";
  const serverURL = `http://127.0.0.1${mountPath}`;
  return { applicationId: appId, appId, appName: appId, serverURL, publicServerURL: serverURL, mountPath };
}
