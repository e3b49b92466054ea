import type { Config, ParseFile } from "@purse/client";
import { ErrorCode, isJsonObject, ProtocolError } from "@purse/protocol";
import type { Logger } from "../core/logger.ts";
import {
  assertTrigger,
  type ClassReference,
  CONFIG_CLASS,
  classNameOf,
  FILE_CLASS,
  isObjectClass,
} from "./classNames.ts";
import { encodeResult } from "./encodeValues.ts";
import { type CloudHttpOptions, type CloudHttpResponse, httpRequest } from "./httpRequest.ts";
import { parseSchedule, type ScheduleOptions } from "./parseSchedule.ts";
import {
  type AfterFindTrigger,
  assertDefinition,
  type BeforeFindTrigger,
  type CloudFunction,
  type ConfigTrigger,
  type ConnectTrigger,
  type ConsumeTrigger,
  clearRegistry,
  type FileTrigger,
  type Job,
  type LiveConnectionHandler,
  type LiveEventTrigger,
  type ObjectTrigger,
  type Registration,
  type Registry,
  type SubscribeTrigger,
} from "./registry.ts";
import { storeInIpfs, type ToIpfsOptions } from "./toIpfs.ts";
import { convertUnits, type UnitsOptions } from "./units.ts";
import { assertValidator, type Validator } from "./validator.ts";
import type { OnUnknownRule } from "./validatorRules.ts";
import type { FileTriggerName, HostRequest, TriggerName } from "./workerMessages.ts";

/** Connects definitions with the server. */
export interface DefinitionsOptions {
  registry: Registry;
  /** Called after each definition. */
  onDefined(): void;
  callHost(callHost: HostRequest): Promise<unknown>;
  /** Called for rules of validators that do not exist; without it, they are refused. */
  onUnknownRule?: OnUnknownRule;
  logger: Logger;
}

interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
}

type DefineClassTrigger<T> = (className: ClassReference, trigger: T, validator?: Validator) => void;
/** Defines a trigger of a class, or of files if `Parse.File` is passed. */
interface DefineClassOrFileTrigger<T> {
  (className: typeof ParseFile, trigger: FileTrigger, validator?: Validator): void;
  (className: ClassReference, trigger: T, validator?: Validator): void;
}
/** Defines a save trigger of a class, of files (`Parse.File`) or of the settings (`Parse.Config`). */
interface DefineSaveTrigger {
  (className: typeof ParseFile, trigger: FileTrigger, validator?: Validator): void;
  (className: typeof Config, trigger: ConfigTrigger, validator?: Validator): void;
  (className: ClassReference, trigger: ObjectTrigger, validator?: Validator): void;
}
/** Defines a trigger of users (or sessions): the class may be omitted. */
interface DefineAccountTrigger {
  (trigger: ObjectTrigger, validator?: Validator): void;
  (className: ClassReference, trigger: ObjectTrigger, validator?: Validator): void;
}
type DefineFileTrigger = (trigger: FileTrigger, validator?: Validator) => void;

/** Members of `Parse.Cloud` that only cloud code has. */
export interface CloudDefinitions {
  define(name: string, run: CloudFunction, validator?: Validator): void;
  job(name: string, run: Job): void;
  /** Schedules a job by a cron expression (in UTC); it runs once per cluster. */
  schedule(jobName: string, cron: string, options?: ScheduleOptions): void;
  /**
   * Stores the events of a contract as objects of the class `tableName`: { chainId, address, abi, topic, tableName,
   * filter, sync_historical, confirmations, webhook }. Ends when the code no longer defines it.
   */
  watchContractEvent(options: object): void;
  /** Stores the transfers of an address as objects: { chainId, address, tableName, … }. */
  watchAddress(options: object): void;
  watchWallet(options: object): void;
  beforeSave: DefineSaveTrigger;
  afterSave: DefineSaveTrigger;
  beforeDelete: DefineClassOrFileTrigger<ObjectTrigger>;
  afterDelete: DefineClassOrFileTrigger<ObjectTrigger>;
  beforeFind: DefineClassOrFileTrigger<BeforeFindTrigger>;
  afterFind: DefineClassOrFileTrigger<AfterFindTrigger>;
  beforeLogin: DefineAccountTrigger;
  afterLogin: DefineAccountTrigger;
  afterLogout: DefineAccountTrigger;
  beforePasswordResetRequest: DefineAccountTrigger;
  beforeSaveFile: DefineFileTrigger;
  afterSaveFile: DefineFileTrigger;
  beforeDeleteFile: DefineFileTrigger;
  afterDeleteFile: DefineFileTrigger;
  beforeConnect(trigger: ConnectTrigger, validator?: Validator): void;
  beforeSubscribe: DefineClassTrigger<SubscribeTrigger>;
  afterLiveQueryEvent: DefineClassTrigger<LiveEventTrigger>;
  /**
   * Called when clients of live queries connect, subscribe, unsubscribe and disconnect; several handlers are allowed.
   */
  onLiveQueryEvent(handler: LiveConnectionHandler): void;
  /** Removes all functions, jobs and triggers of the code. */
  _removeAllHooks(): void;
  getLogger(): Logger;
  /** Sends an HTTP request. Rejects with the response if its status is not 2xx. */
  httpRequest(options: CloudHttpOptions): Promise<CloudHttpResponse>;
  sendEmail(mail: Mail): Promise<void>;
  /** Converts amounts: `units({ method: "fromWei", value, decimals })`. */
  units(options: UnitsOptions): string;
  /** Stores content in IPFS; `path` of the result is its URL. */
  toIpfs(options: ToIpfsOptions): Promise<{ path: string }>;
  /**
   * Decides which on-chain events of a watch are stored as objects of a class: those for which it returns true. They are
   * stored when they are confirmed, so that each is decided once.
   */
  beforeConsume(className: ClassReference, trigger: ConsumeTrigger): void;
  /** Does nothing, as in Parse Server: pass `{ useMasterKey: true }` to the call that needs it. */
  useMasterKey(): void;
}

/**
 * Creates the functions by which cloud code defines functions, jobs and triggers. Each throws Error for invalid
 * definitions.
 */
export function createDefinitions({
  registry,
  onDefined,
  callHost,
  onUnknownRule,
  logger,
}: DefinitionsOptions): CloudDefinitions {
  const register = (add: () => void): void => {
    add();
    onDefined();
  };
  const defineWatch = (options: object): void => {
    const encoded = encodeResult(options);
    if (!isJsonObject(encoded)) throw new Error("The options of a watch must be an object");
    register(() => registry.watches.push(encoded));
  };
  const defineFile = (
    key: FileTriggerName,
    triggerName: TriggerName,
    run: unknown,
    validator?: Validator,
  ) => {
    assertFunction<FileTrigger>(run, triggerName);
    assertValidator(`${triggerName} of files`, validator, onUnknownRule);
    register(() => registry.files.set(key, { run, validator, triggerName }));
  };
  const defineObject = (
    trigger: "beforeSave" | "afterSave" | "beforeDelete" | "afterDelete",
    reference: ClassReference,
    run: unknown,
    validator?: Validator,
  ): void => {
    const className = classNameOf(reference);
    assertTrigger(trigger, className);
    assertValidator(`${trigger} of ${className}`, validator, onUnknownRule);
    if (className === FILE_CLASS) {
      defineFile(`${trigger}File`, trigger, run, validator);
    } else if (className === CONFIG_CLASS && (trigger === "beforeSave" || trigger === "afterSave")) {
      assertFunction<ConfigTrigger>(run, `${trigger} of Parse.Config`);
      register(() => registry.config.set(trigger, { run, validator }));
    } else {
      assertFunction<ObjectTrigger>(run, `${trigger} of ${className}`);
      register(() => registry.objectTriggers.set(`${trigger}.${className}`, { run, validator }));
    }
  };
  const accountTrigger =
    (
      trigger: "beforeLogin" | "afterLogin" | "afterLogout" | "beforePasswordResetRequest",
      className: "_User" | "_Session",
    ): DefineAccountTrigger =>
    (...args: unknown[]) => {
      const [reference] = args;
      const hasClassName = typeof reference === "string" || isObjectClass(reference);
      const [run, validator] = hasClassName ? args.slice(1) : args;
      assertFunction<ObjectTrigger>(run, trigger);
      if (hasClassName && classNameOf(reference) !== className) {
        throw new Error(
          className === "_Session"
            ? "Only the _Session class is allowed for the afterLogout trigger."
            : "Only the _User class is allowed for the beforeLogin, afterLogin, and beforePasswordResetRequest triggers",
        );
      }
      assertValidator(trigger, validator, onUnknownRule);
      const registration = { run, validator: validator ?? undefined };
      register(() => registry.objectTriggers.set(`${trigger}.${className}`, registration));
    };
  const defineFileTriggerOf =
    (
      trigger: "beforeSaveFile" | "afterSaveFile" | "beforeDeleteFile" | "afterDeleteFile",
    ): DefineFileTrigger =>
    (run, validator) =>
      defineFile(trigger, trigger, run, validator);
  const defineInMap = <T extends (request: never) => unknown>(
    name: TriggerName,
    map: Map<string, Registration<T>>,
    reference: ClassReference,
    run: unknown,
    validator?: Validator,
  ): void => {
    const className = classNameOf(reference);
    assertTrigger(name, className);
    assertValidator(`${name} of ${className}`, validator, onUnknownRule);
    assertFunction<T>(run, `${name} of ${className}`);
    register(() => map.set(className, { run, validator }));
  };
  const defineFind = <T extends (request: never) => unknown>(
    trigger: "beforeFind" | "afterFind",
    map: Map<string, Registration<T>>,
    ...[reference, run, validator]: [ClassReference, unknown, Validator?]
  ): void => {
    if (classNameOf(reference) === FILE_CLASS) defineFile(`${trigger}File`, trigger, run, validator);
    else defineInMap(trigger, map, reference, run, validator);
  };
  return {
    define(name, run, validator) {
      assertDefinition("function", name, run, validator, onUnknownRule);
      register(() => registry.functions.set(name, { run, validator }));
    },
    job(name, run) {
      assertDefinition("job", name, run);
      register(() => registry.jobs.set(name, run));
    },
    schedule(jobName, cron, options = {}) {
      const schedule = parseSchedule(jobName, cron, options);
      register(() => registry.schedules.push(schedule));
    },
    watchContractEvent: defineWatch,
    watchAddress: defineWatch,
    watchWallet: defineWatch,
    beforeSave: (...args: TriggerArguments) => defineObject("beforeSave", ...args),
    afterSave: (...args: TriggerArguments) => defineObject("afterSave", ...args),
    beforeDelete: (...args: TriggerArguments) => defineObject("beforeDelete", ...args),
    afterDelete: (...args: TriggerArguments) => defineObject("afterDelete", ...args),
    beforeFind: (...args: TriggerArguments) => defineFind("beforeFind", registry.beforeFind, ...args),
    afterFind: (...args: TriggerArguments) => defineFind("afterFind", registry.afterFind, ...args),
    beforeLogin: accountTrigger("beforeLogin", "_User"),
    afterLogin: accountTrigger("afterLogin", "_User"),
    afterLogout: accountTrigger("afterLogout", "_Session"),
    beforePasswordResetRequest: accountTrigger("beforePasswordResetRequest", "_User"),
    beforeSaveFile: defineFileTriggerOf("beforeSaveFile"),
    afterSaveFile: defineFileTriggerOf("afterSaveFile"),
    beforeDeleteFile: defineFileTriggerOf("beforeDeleteFile"),
    afterDeleteFile: defineFileTriggerOf("afterDeleteFile"),
    beforeConnect(run, validator) {
      assertValidator("beforeConnect", validator, onUnknownRule);
      register(() => {
        registry.beforeConnect = { run, validator };
      });
    },
    beforeSubscribe: (...args) => defineInMap("beforeSubscribe", registry.beforeSubscribe, ...args),
    afterLiveQueryEvent: (...args) =>
      defineInMap("afterLiveQueryEvent", registry.afterLiveQueryEvent, ...args),
    onLiveQueryEvent(handler) {
      assertFunction<LiveConnectionHandler>(handler, "onLiveQueryEvent");
      register(() => registry.onLiveQueryEvent.push(handler));
    },
    _removeAllHooks: () => register(() => clearRegistry(registry)),
    getLogger: () => logger,
    httpRequest,
    async sendEmail({ to, subject, text, html }) {
      for (const [name, value] of Object.entries({ to, subject, text })) {
        if (typeof value !== "string" || value === "") {
          throw new ProtocolError(ErrorCode.OTHER_CAUSE, `sendEmail needs ${name} as a string`);
        }
      }
      // A line break would end one address and begin another header's.
      if (/[\r\n]/.test(to)) {
        throw new ProtocolError(ErrorCode.OTHER_CAUSE, "sendEmail needs `to` without line breaks");
      }
      await callHost({ kind: "sendEmail", mail: { to, subject, text, ...(html !== undefined && { html }) } });
    },
    units: convertUnits,
    toIpfs: (options) => storeInIpfs(options, callHost),
    beforeConsume(reference, trigger) {
      const className = classNameOf(reference);
      assertFunction<ConsumeTrigger>(trigger, `beforeConsume of ${className}`);
      register(() => registry.beforeConsume.set(className, trigger));
    },
    useMasterKey: () => undefined,
  };
}

type TriggerArguments = [reference: ClassReference, trigger: unknown, validator?: Validator];

function assertFunction<T extends (...args: never[]) => unknown>(
  value: unknown,
  what: string,
): asserts value is T {
  if (typeof value !== "function") throw new Error(`${what} needs a function`);
}
