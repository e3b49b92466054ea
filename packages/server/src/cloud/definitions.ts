import type { Config, ParseFile } from "@purse/client";
import { ErrorCode, isJsonObject, ProtocolError } from "@purse/protocol";
import type { Log } from "../observe/log.ts";
import {
  assertTrigger,
  type ClassReference,
  CONFIG_CLASS,
  classNameOf,
  FILE_CLASS,
  isObjectClass,
} from "./classNames.ts";
import { type CloudHttpOptions, type CloudHttpResponse, httpRequest } from "./httpRequest.ts";
import type { Ask, FileTriggerName, TriggerName } from "./messages.ts";
import {
  type AfterFindTrigger,
  assertDefinition,
  type BeforeFindTrigger,
  type CloudFunction,
  type ConfigTrigger,
  type ConnectTrigger,
  clearRegistry,
  type FileTrigger,
  type Guarded,
  type Job,
  type LiveConnectionHandler,
  type LiveEventTrigger,
  type ObjectTrigger,
  type Registry,
  type SubscribeTrigger,
} from "./registry.ts";
import { type ScheduleOptions, scheduleOf } from "./scheduleOf.ts";
import { assertValidator, type Validator } from "./validator.ts";
import { encodeResult } from "./wire.ts";

/** How definitions get to the server. */
export interface DefinitionsOptions {
  registry: Registry;
  /** Called after each definition. */
  onDefined(): void;
  ask(ask: Ask): Promise<unknown>;
  log: Log;
}

interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
}

type OfClass<T> = (className: ClassReference, trigger: T, validator?: Validator) => void;
/** Of a class of objects; of the files where `Parse.File` is given. */
interface OfClassOrFiles<T> {
  (className: typeof ParseFile, trigger: FileTrigger, validator?: Validator): void;
  (className: ClassReference, trigger: T, validator?: Validator): void;
}
/** Of a class of objects; of the files where `Parse.File`, of the settings where `Parse.Config` is given. */
interface OfSaves {
  (className: typeof ParseFile, trigger: FileTrigger, validator?: Validator): void;
  (className: typeof Config, trigger: ConfigTrigger, validator?: Validator): void;
  (className: ClassReference, trigger: ObjectTrigger, validator?: Validator): void;
}
/** Of the users (or sessions) alone: the class may be left out. */
interface OfAccounts {
  (trigger: ObjectTrigger, validator?: Validator): void;
  (className: ClassReference, trigger: ObjectTrigger, validator?: Validator): void;
}
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
  beforeSave: OfSaves;
  afterSave: OfSaves;
  beforeDelete: OfClassOrFiles<ObjectTrigger>;
  afterDelete: OfClassOrFiles<ObjectTrigger>;
  beforeFind: OfClassOrFiles<BeforeFindTrigger>;
  afterFind: OfClassOrFiles<AfterFindTrigger>;
  beforeLogin: OfAccounts;
  afterLogin: OfAccounts;
  afterLogout: OfAccounts;
  beforePasswordResetRequest: OfAccounts;
  beforeSaveFile: OfFiles;
  afterSaveFile: OfFiles;
  beforeDeleteFile: OfFiles;
  afterDeleteFile: OfFiles;
  beforeConnect(trigger: ConnectTrigger, validator?: Validator): void;
  beforeSubscribe: OfClass<SubscribeTrigger>;
  afterLiveQueryEvent: OfClass<LiveEventTrigger>;
  /** Called when clients of live queries connect, subscribe, unsubscribe and leave; several handlers may be there. */
  onLiveQueryEvent(handler: LiveConnectionHandler): void;
  /** Takes out all functions, jobs and triggers that the code has defined. */
  _removeAllHooks(): void;
  getLogger(): Log;
  /** Asks another server. Rejects with the response where its status is not of the 2xx. */
  httpRequest(options: CloudHttpOptions): Promise<CloudHttpResponse>;
  sendEmail(mail: Mail): Promise<void>;
  /** Does nothing, as in Parse Server: pass `{ useMasterKey: true }` to the call that needs it. */
  useMasterKey(): void;
}

/** The functions by which cloud code defines. Each throws Error for what can never run. */
export function createDefinitions({ registry, onDefined, ask, log }: DefinitionsOptions): CloudDefinitions {
  const defined = (register: () => void): void => {
    register();
    onDefined();
  };
  const watch = (options: object): void => {
    const encoded = encodeResult(options);
    if (!isJsonObject(encoded)) throw new Error("What is watched must be said in an object");
    defined(() => registry.watches.push(encoded));
  };
  const defineFile = (
    key: FileTriggerName,
    triggerName: TriggerName,
    run: unknown,
    validator?: Validator,
  ) => {
    assertFunction<FileTrigger>(run, triggerName);
    assertValidator(`${triggerName} of files`, validator);
    defined(() => registry.files.set(key, { run, validator, triggerName }));
  };
  const defineObject = (
    trigger: "beforeSave" | "afterSave" | "beforeDelete" | "afterDelete",
    reference: ClassReference,
    run: unknown,
    validator?: Validator,
  ): void => {
    const className = classNameOf(reference);
    assertTrigger(trigger, className);
    assertValidator(`${trigger} of ${className}`, validator);
    if (className === FILE_CLASS) {
      defineFile(`${trigger}File`, trigger, run, validator);
    } else if (className === CONFIG_CLASS && (trigger === "beforeSave" || trigger === "afterSave")) {
      assertFunction<ConfigTrigger>(run, `${trigger} of Parse.Config`);
      defined(() => registry.config.set(trigger, { run, validator }));
    } else {
      assertFunction<ObjectTrigger>(run, `${trigger} of ${className}`);
      defined(() => registry.objectTriggers.set(`${trigger}.${className}`, { run, validator }));
    }
  };
  const accountTrigger =
    (
      trigger: "beforeLogin" | "afterLogin" | "afterLogout" | "beforePasswordResetRequest",
      className: "_User" | "_Session",
    ): OfAccounts =>
    (...given: unknown[]) => {
      const [first] = given;
      const isNamed = typeof first === "string" || isObjectClass(first);
      const [run, validator] = isNamed ? given.slice(1) : given;
      assertFunction<ObjectTrigger>(run, trigger);
      if (isNamed && classNameOf(first) !== className) {
        throw new Error(
          className === "_Session"
            ? "Only the _Session class is allowed for the afterLogout trigger."
            : "Only the _User class is allowed for the beforeLogin, afterLogin, and beforePasswordResetRequest triggers",
        );
      }
      assertValidator(trigger, validator);
      const guarded = { run, validator: validator ?? undefined };
      defined(() => registry.objectTriggers.set(`${trigger}.${className}`, guarded));
    };
  const ofFiles =
    (trigger: "beforeSaveFile" | "afterSaveFile" | "beforeDeleteFile" | "afterDeleteFile"): OfFiles =>
    (run, validator) =>
      defineFile(trigger, trigger, run, validator);
  const into = <T extends (request: never) => unknown>(
    name: TriggerName,
    map: Map<string, Guarded<T>>,
    reference: ClassReference,
    run: unknown,
    validator?: Validator,
  ): void => {
    const className = classNameOf(reference);
    assertTrigger(name, className);
    assertValidator(`${name} of ${className}`, validator);
    assertFunction<T>(run, `${name} of ${className}`);
    defined(() => map.set(className, { run, validator }));
  };
  const defineFind = <T extends (request: never) => unknown>(
    trigger: "beforeFind" | "afterFind",
    map: Map<string, Guarded<T>>,
    ...[reference, run, validator]: [ClassReference, unknown, Validator?]
  ): void => {
    if (classNameOf(reference) === FILE_CLASS) defineFile(`${trigger}File`, trigger, run, validator);
    else into(trigger, map, reference, run, validator);
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
    beforeSave: (...given: Given) => defineObject("beforeSave", ...given),
    afterSave: (...given: Given) => defineObject("afterSave", ...given),
    beforeDelete: (...given: Given) => defineObject("beforeDelete", ...given),
    afterDelete: (...given: Given) => defineObject("afterDelete", ...given),
    beforeFind: (...given: Given) => defineFind("beforeFind", registry.beforeFind, ...given),
    afterFind: (...given: Given) => defineFind("afterFind", registry.afterFind, ...given),
    beforeLogin: accountTrigger("beforeLogin", "_User"),
    afterLogin: accountTrigger("afterLogin", "_User"),
    afterLogout: accountTrigger("afterLogout", "_Session"),
    beforePasswordResetRequest: accountTrigger("beforePasswordResetRequest", "_User"),
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
    beforeSubscribe: (...given) => into("beforeSubscribe", registry.beforeSubscribe, ...given),
    afterLiveQueryEvent: (...given) => into("afterLiveQueryEvent", registry.afterLiveQueryEvent, ...given),
    onLiveQueryEvent(handler) {
      assertFunction<LiveConnectionHandler>(handler, "onLiveQueryEvent");
      defined(() => registry.onLiveQueryEvent.push(handler));
    },
    _removeAllHooks: () => defined(() => clearRegistry(registry)),
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

type Given = [reference: ClassReference, trigger: unknown, validator?: Validator];

function assertFunction<T extends (...given: never[]) => unknown>(
  value: unknown,
  what: string,
): asserts value is T {
  if (typeof value !== "function") throw new Error(`${what} needs a function`);
}
