import * as client from "@purse/client";
import { ErrorCode, isJsonObject, ProtocolError } from "@purse/protocol";
import type { Method } from "../http/api.ts";
import type { Log } from "../observe/log.ts";
import { type CloudHttpOptions, type CloudHttpResponse, httpRequest } from "./httpRequest.ts";
import type { Ask } from "./messages.ts";
import {
  type AfterFindTrigger,
  assertDefinition,
  assertTrigger,
  type BeforeFindTrigger,
  type ClassReference,
  type CloudFunction,
  type ConnectTrigger,
  classNameOf,
  FILE_CLASS,
  type FileTrigger,
  type Job,
  type LiveEventTrigger,
  type ObjectTrigger,
  type Registry,
  type SubscribeTrigger,
} from "./registry.ts";
import { type ScheduleOptions, scheduleOf } from "./scheduleOf.ts";
import { assertValidator, type Validator } from "./validator.ts";
import { encodeResult } from "./wire.ts";

/** How what cloud code defines and asks gets to the server. */
export interface NamespaceParts {
  registry: Registry;
  /** Told after each definition. */
  onDefined(): void;
  ask(ask: Ask): Promise<unknown>;
  log: Log;
  appId: string;
  mountPath: string;
}

interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
}

type OfClass<T> = (className: ClassReference, trigger: T, validator?: Validator) => void;
/** Of the users (or sessions) alone: the class may be left out. */
type OfPeople = (classOrTrigger: ClassReference | ObjectTrigger, trigger?: ObjectTrigger) => void;
type OfFiles = (trigger: FileTrigger, validator?: Validator) => void;

/** What `Parse.Cloud` offers to cloud code beside what clients have. */
export interface CloudDefinitions {
  define(name: string, run: CloudFunction, validator?: Validator): void;
  job(name: string, run: Job): void;
  /** Runs a job by a cron expression (in UTC), once in the whole cluster. */
  schedule(jobName: string, cron: string, options?: ScheduleOptions): void;
  /**
   * Makes objects of the class `tableName` of a contract's event: { chainId, address, abi, topic, tableName, filter,
   * sync_historical, confirmations, webhook }. As long as the code says so.
   */
  watchContractEvent(options: object): void;
  /** Makes objects of what an address moves: { chainId, address, tableName, … }. */
  watchAddress(options: object): void;
  watchWallet(options: object): void;
  beforeSave: OfClass<ObjectTrigger>;
  afterSave: OfClass<ObjectTrigger>;
  beforeDelete: OfClass<ObjectTrigger>;
  afterDelete: OfClass<ObjectTrigger>;
  beforeFind: OfClass<BeforeFindTrigger>;
  afterFind: OfClass<AfterFindTrigger>;
  beforeLogin: OfPeople;
  afterLogin: OfPeople;
  afterLogout: OfPeople;
  beforePasswordResetRequest: OfPeople;
  beforeSaveFile: OfFiles;
  afterSaveFile: OfFiles;
  beforeDeleteFile: OfFiles;
  afterDeleteFile: OfFiles;
  beforeConnect(trigger: ConnectTrigger, validator?: Validator): void;
  beforeSubscribe: OfClass<SubscribeTrigger>;
  afterLiveQueryEvent: OfClass<LiveEventTrigger>;
  getLogger(): Log;
  /** Asks another server. Rejects with the response where its status is not of the 2xx. */
  httpRequest(options: CloudHttpOptions): Promise<CloudHttpResponse>;
  sendEmail(mail: Mail): Promise<void>;
  /** Does nothing, as in Parse Server: pass `{ useMasterKey: true }` to the call that needs it. */
  useMasterKey(): void;
}

/** The globals `Parse` and `Moralis` of cloud code. */
export type CloudNamespace = Omit<typeof client, "Cloud"> & { Cloud: typeof client.Cloud & CloudDefinitions };

const ORIGIN = "http://in-process";
/** Stands for the right to use the master key; the key itself never comes near cloud code. */
const INNER_MASTER_KEY = "in-process";

/** Sets the globals, and connects the client's classes with the server in this process. */
export async function installNamespace(parts: NamespaceParts): Promise<void> {
  const { appId, mountPath, ask } = parts;
  await client.start({
    appId,
    serverUrl: `${ORIGIN}${mountPath}`,
    masterKey: INNER_MASTER_KEY,
    plugins: [],
    // Code of all callers shares this connection: nobody is signed in on it.
    keepsCurrentUser: false,
    requestAttemptLimit: 1,
    fetch: (input, init) => fetchInProcess(ask, String(input).slice(ORIGIN.length + mountPath.length), init),
  });
  const namespace: CloudNamespace = { ...client, Cloud: { ...client.Cloud, ...definitions(parts) } };
  Object.assign(globalThis, { Parse: namespace, Moralis: namespace });
}

/** The in-process transport: the client's envelope goes to the doors without a socket in between. */
async function fetchInProcess(
  ask: NamespaceParts["ask"],
  path: string,
  init: RequestInit | undefined,
): Promise<Response> {
  const body: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : {};
  if (!isJsonObject(body)) throw new Error("An in-process request needs a JSON object as body");
  const { _method, _MasterKey, _SessionToken, _InstallationId, _context, ...rest } = body;
  const { _ApplicationId, _JavaScriptKey, _ClientVersion, _RevocableSession, ...params } = rest;
  const reply = await ask({
    what: "dispatch",
    request: {
      method: methodOf(_method ?? init?.method),
      path: path.startsWith("/") ? path : `/${path}`,
      params,
      sessionToken: typeof _SessionToken === "string" ? _SessionToken : undefined,
      useMasterKey: _MasterKey === INNER_MASTER_KEY,
      installationId: typeof _InstallationId === "string" ? _InstallationId : undefined,
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

function definitions({ registry, onDefined, ask, log }: NamespaceParts): CloudDefinitions {
  const defined = (place: () => void): void => {
    place();
    onDefined();
  };
  const watch = (options: object): void => {
    const encoded = encodeResult(options);
    if (!isJsonObject(encoded)) throw new Error("What is watched must be said in an object");
    defined(() => registry.watches.push(encoded));
  };
  const objectTrigger =
    (trigger: "beforeSave" | "afterSave" | "beforeDelete" | "afterDelete"): OfClass<ObjectTrigger> =>
    (reference, run, validator) => {
      const className = classNameOf(reference);
      if (className === FILE_CLASS) throw new Error(`For files there is Cloud.${trigger}File`);
      assertTrigger(trigger, className);
      assertValidator(`${trigger} of ${className}`, validator);
      defined(() => registry.objectTriggers.set(`${trigger}.${className}`, { run, validator }));
    };
  const ofPeople =
    (
      trigger: "beforeLogin" | "afterLogin" | "afterLogout" | "beforePasswordResetRequest",
      className: string,
    ): OfPeople =>
    (first, second) => {
      const run = second ?? (typeof first === "function" ? first : undefined);
      if (!isTrigger(run)) throw new Error(`${trigger} needs a function`);
      if (second && classNameOf(isReference(first) ? first : "") !== className) {
        throw new Error(
          className === "_Session"
            ? "Only the _Session class is allowed for the afterLogout trigger."
            : "Only the _User class is allowed for the beforeLogin, afterLogin, and beforePasswordResetRequest triggers",
        );
      }
      defined(() => registry.objectTriggers.set(`${trigger}.${className}`, { run, validator: undefined }));
    };
  const ofFiles =
    (trigger: "beforeSaveFile" | "afterSaveFile" | "beforeDeleteFile" | "afterDeleteFile"): OfFiles =>
    (run, validator) => {
      assertValidator(trigger, validator);
      defined(() => registry.files.set(trigger, { run, validator }));
    };
  const into =
    <T>(name: string, map: Map<string, { run: T; validator: Validator | undefined }>): OfClass<T> =>
    (reference, run, validator) => {
      const className = classNameOf(reference);
      assertValidator(`${name} of ${className}`, validator);
      defined(() => map.set(className, { run, validator }));
    };
  return {
    define(name, run, validator) {
      assertDefinition("function", name, run, validator);
      defined(() => registry.functions.set(name, { run, validator }));
    },
    job(name, run) {
      assertDefinition("job", name, run);
      defined(() => registry.jobs.set(name, run));
    },
    schedule(jobName, cron, options = {}) {
      const schedule = scheduleOf(jobName, cron, options);
      defined(() => registry.schedules.push(schedule));
    },
    watchContractEvent: watch,
    watchAddress: watch,
    watchWallet: watch,
    beforeSave: objectTrigger("beforeSave"),
    afterSave: objectTrigger("afterSave"),
    beforeDelete: objectTrigger("beforeDelete"),
    afterDelete: objectTrigger("afterDelete"),
    beforeFind: into("beforeFind", registry.beforeFind),
    afterFind: into("afterFind", registry.afterFind),
    beforeLogin: ofPeople("beforeLogin", "_User"),
    afterLogin: ofPeople("afterLogin", "_User"),
    afterLogout: ofPeople("afterLogout", "_Session"),
    beforePasswordResetRequest: ofPeople("beforePasswordResetRequest", "_User"),
    beforeSaveFile: ofFiles("beforeSaveFile"),
    afterSaveFile: ofFiles("afterSaveFile"),
    beforeDeleteFile: ofFiles("beforeDeleteFile"),
    afterDeleteFile: ofFiles("afterDeleteFile"),
    beforeConnect(run, validator) {
      assertValidator("beforeConnect", validator);
      defined(() => {
        registry.beforeConnect = { run, validator };
      });
    },
    beforeSubscribe: into("beforeSubscribe", registry.beforeSubscribe),
    afterLiveQueryEvent: into("afterLiveQueryEvent", registry.afterLiveQueryEvent),
    getLogger: () => log,
    httpRequest,
    async sendEmail({ to, subject, text, html }) {
      for (const [name, value] of Object.entries({ to, subject, text })) {
        if (typeof value !== "string" || value === "") {
          throw new ProtocolError(ErrorCode.OTHER_CAUSE, `sendEmail needs ${name} as a text`);
        }
      }
      await ask({ what: "sendEmail", mail: { to, subject, text, ...(html !== undefined && { html }) } });
    },
    useMasterKey: () => undefined,
  };
}

function isTrigger(value: unknown): value is ObjectTrigger {
  return typeof value === "function";
}

function isReference(value: unknown): value is ClassReference {
  return typeof value === "string" || typeof value === "function";
}
