import type { ParseObject, Query, User } from "@purse/client";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { Log } from "../observe/log.ts";

/** What every function and trigger is told of who caused it. */
export interface CloudRequest {
  /** Who is signed in. Its session is used only where code passes its token on. */
  user: User | undefined;
  /** Whether the master key was used. */
  master: boolean;
  installationId: string | undefined;
  /** What the client passed as `context`. */
  context: JsonObject;
  /** The client's address. */
  ip: string;
  log: Log;
}

export interface FunctionRequest extends CloudRequest {
  /** The parameters, decoded: dates are Dates, pointers are objects. */
  params: Record<string, unknown>;
  functionName: string;
}

export interface ObjectTriggerRequest extends CloudRequest {
  triggerName: TriggerName;
  /** Before a save: with the changes that were asked for, which may be changed further. */
  object: ParseObject;
  /** The object as it was; undefined for a new one. */
  original: ParseObject | undefined;
}

export interface BeforeFindRequest extends CloudRequest {
  triggerName: "beforeFind";
  query: Query;
}

export interface AfterFindRequest extends CloudRequest {
  triggerName: "afterFind";
  objects: ParseObject[];
}

export type TriggerName =
  | "beforeSave"
  | "afterSave"
  | "beforeDelete"
  | "afterDelete"
  | "beforeFind"
  | "afterFind";

/** May throw: a text or an Error is answered with 141, a Parse.Error with its own code. */
export type CloudFunction = (request: FunctionRequest) => unknown;
export type ObjectTrigger = (request: ObjectTriggerRequest) => unknown;
/** May change the query, or answer another one. */
export type BeforeFindTrigger = (request: BeforeFindRequest) => unknown;
/** Answers the objects to tell instead; undefined for those that were found. */
export type AfterFindTrigger = (request: AfterFindRequest) => unknown;

/** What has to hold before a function runs; else 142. */
export interface Validator {
  requireUser?: boolean;
  requireMaster?: boolean;
  /** Parameters that must be there. */
  fields?: readonly string[];
}

/** A class by name, or the constructor of one. */
export type ClassReference = string | { readonly className?: string; readonly name?: string };

export interface DefinedFunction {
  run: CloudFunction;
  validator: Validator;
}

/** What the cloud code has defined. */
export interface Registry {
  functions: Map<string, DefinedFunction>;
  beforeSave: Map<string, ObjectTrigger>;
  afterSave: Map<string, ObjectTrigger>;
  beforeDelete: Map<string, ObjectTrigger>;
  afterDelete: Map<string, ObjectTrigger>;
  beforeFind: Map<string, BeforeFindTrigger>;
  afterFind: Map<string, AfterFindTrigger>;
}

export function newRegistry(): Registry {
  return {
    functions: new Map(),
    beforeSave: new Map(),
    afterSave: new Map(),
    beforeDelete: new Map(),
    afterDelete: new Map(),
    beforeFind: new Map(),
    afterFind: new Map(),
  };
}

export function classNameOf(reference: ClassReference): string {
  const name = typeof reference === "string" ? reference : (reference.className ?? reference.name ?? "");
  if (name === "User" || name === "Role" || name === "Session" || name === "Installation") return `_${name}`;
  if (name) return name;
  throw new Error("A trigger needs the name of a class");
}

const FUNCTION_NAME = /^[A-Za-z_][\w-]*$/;
const VALIDATOR_KEYS: readonly string[] = ["requireUser", "requireMaster", "fields"];

export function assertFunction(name: string, run: unknown, validator: object): void {
  if (!FUNCTION_NAME.test(name)) {
    throw new Error(`"${name}" cannot name a cloud function: letters, digits, _ and - can, a letter first`);
  }
  if (typeof run !== "function") throw new Error(`The cloud function ${name} must be a function`);
  const unknown = Object.keys(validator).find((key) => !VALIDATOR_KEYS.includes(key));
  if (unknown)
    throw new Error(
      `The validator of ${name} uses ${unknown}; only ${VALIDATOR_KEYS.join(", ")} are supported`,
    );
}

/** Throws 142 where the request is not what the validator asks for. */
export function validate(validator: Validator, request: CloudRequest, params: Record<string, unknown>): void {
  const refuse = (reason: string): never => {
    throw new ProtocolError(ErrorCode.VALIDATION_ERROR, `Validation failed. ${reason}`);
  };
  if (validator.requireMaster && !request.master) refuse("Master key is required to complete this request.");
  if (validator.requireUser && !request.user && !request.master) refuse("Please login to continue.");
  for (const field of validator.fields ?? []) {
    if (!Object.hasOwn(params, field) || params[field] === null) refuse(`Please specify data for ${field}.`);
  }
}
