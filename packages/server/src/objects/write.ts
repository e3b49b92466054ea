import {
  type Acl,
  applyOperations,
  assertClassName,
  ErrorCode,
  isEchoed,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Operation,
  ProtocolError,
  parseAcl,
  principalsWith,
} from "@purse/protocol";
import { type Principals, principalsOf, type RequestContext } from "../caller.ts";
import { type FileUrls, mayHoldFiles } from "../files/fileUrls.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import type { GrowthLimits, Schemas } from "../schema/schemas.ts";
import { ClaimTaken, type Store, type Write, type WriteResult } from "../store/store.ts";
import type { Change, ChangeListener } from "./change.ts";
import type { Draft } from "./draft.ts";
import { canonicalValue, parseFields } from "./fields.ts";
import { newObjectId } from "./objectId.ts";
import type { Objects, SaveReply } from "./objects.ts";
import { assertReachable, authorise, dependsOnObject, mayChange } from "./permissions.ts";
import type { ClassRules } from "./rules.ts";
import type { Triggers } from "./triggers.ts";

export interface WriteParts {
  store: Store;
  schemas: Schemas;
  rules: ReadonlyMap<string, ClassRules>;
  triggers: Triggers;
  fileUrls: FileUrls;
  /** Whether callers other than the master key may make classes by saving into them. */
  allowClientClassCreation: boolean;
  /** Whether callers other than the master key may add fields to classes that do not say who may. */
  allowClientAddField: boolean;
  /** How far classes may grow by what they save; without a bound where it is not given. */
  growthLimits?: GrowthLimits;
  /** Whether callers choose the ids of new objects. */
  allowCustomObjectId: boolean;
  /** ACL of new objects that bring none; `currentUser` in it stands for whoever creates them. */
  defaultAcl: JsonObject | undefined;
  /** In ms since the epoch. */
  clock: () => number;
  /** Told of errors that must not fail a write that is stored already. */
  onError: (error: unknown, during: string) => void;
}

/** The writing half of the pipeline. */
export type Writes = Pick<Objects, "create" | "update" | "remove" | "onChange">;

export function createWrites(parts: WriteParts): Writes {
  const { store, schemas, rules, triggers, fileUrls } = parts;
  const listeners = new Set<ChangeListener>();

  async function create(request: RequestContext, className: string, fields: JsonObject): Promise<SaveReply> {
    assertReachable(className, "create", request.caller);
    assertClassName(className);
    authorise(schemas.get(className), "create", request.caller);
    const { objectId, ...rest } = fields;
    // Old clients tell an object by it; one that sends it thinks that the object is stored already.
    if (fields.id && !request.choosesIds) {
      throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, "id is an invalid field name. Invalid Key name");
    }
    const choosesId = parts.allowCustomObjectId || request.choosesIds === true;
    const id = choosesId ? chosenId(objectId) : newObjectId();
    const draft = newDraft(className, id, parseFields(choosesId ? rest : fields), undefined);
    const asked = { ...draft.operations };
    await triggers.beforeSave(className)?.(draft, request);
    // What a trigger or a default has put in is told; what a rule has, the rule tells.
    const told = changedPaths(asked, draft.operations);
    await rules.get(className)?.beforeCreate?.(draft, request);
    stripFiles(draft, request);
    const schema = await schemaFor(draft, request);
    const at = new Date(parts.clock()).toISOString();
    const given = { ...draft.operations };
    fillIn(draft, schema, request, parts.defaultAcl);
    told.push(...changedPaths(given, draft.operations).filter((path) => path !== "ACL"));
    const filled = applyOperations({}, draft.operations);
    const object: JsonObject = { objectId: draft.objectId, createdAt: at, updatedAt: at, ...filled };
    const { secret } = draft;
    const [result] = await commit(
      [{ kind: "create", schema, id, at, object, secret }],
      draft,
      schema,
      request,
    );
    await publish(draft, result, request);
    await finish(draft);

    const body: JsonObject = { objectId: draft.objectId, createdAt: at };
    for (const [path, operation] of Object.entries(draft.operations)) {
      if (isEchoed(operation) || told.includes(path)) echo(body, path, object);
    }
    return { status: 201, body: fileUrls.expand({ ...body, ...draft.reply }, request) };
  }

  async function update(
    request: RequestContext,
    className: string,
    objectId: string,
    fields: JsonObject,
  ): Promise<SaveReply> {
    assertReachable(className, "update", request.caller);
    assertClassName(className);
    rules.get(className)?.beforeWrite?.("update", objectId, request);
    const current = schemas.get(className);
    authorise(current, "update", request.caller);
    if (!current) throw notFound();
    const principals = principalsOf(request.caller);
    const beforeSave = triggers.beforeSave(className);
    const beforeUpdate = rules.get(className)?.beforeUpdate;
    const { caller } = request;
    const isLooked = beforeSave || beforeUpdate || dependsOnObject(current, "update", caller);
    const original = isLooked ? await readWritable(current, objectId, principals) : undefined;
    if (original && !mayChange(current, "update", caller, original)) throw notFound();
    const draft = newDraft(className, objectId, parseFields(fields, objectId), original);
    const asked = { ...draft.operations };
    await beforeSave?.(draft, request);
    await beforeUpdate?.(draft, request);
    const told = changedPaths(asked, draft.operations);
    stripFiles(draft, request);
    const schema = await schemaFor(draft, request);
    assertKept(draft.operations, schema);
    const at = new Date(parts.clock()).toISOString();
    const { operations, secret } = draft;
    const [result] = await commit(
      [
        {
          kind: "update",
          schema,
          id: objectId,
          at,
          operations,
          secret,
          principals,
          ifUpdatedAt: request.ifUpdatedAt,
        },
      ],
      draft,
      schema,
      request,
    );
    await publish(draft, result, request);
    await finish(draft);

    const body: JsonObject = { updatedAt: at };
    const changed = Object.entries(operations).filter(([path, op]) => isEchoed(op) || told.includes(path));
    if (changed.length > 0 && result?.after) {
      const object: JsonObject = JSON.parse(result.after);
      // Who may write but not read gets no values back.
      if (isGranted(object, "read", principals)) for (const [path] of changed) echo(body, path, object);
    }
    return { status: 200, body: fileUrls.expand({ ...body, ...draft.reply }, request) };
  }

  async function remove(request: RequestContext, className: string, objectId: string): Promise<void> {
    assertReachable(className, "delete", request.caller);
    assertClassName(className);
    rules.get(className)?.beforeWrite?.("delete", objectId, request);
    const schema = schemas.get(className);
    authorise(schema, "delete", request.caller);
    if (!schema) throw notFound();
    const principals = principalsOf(request.caller);
    const beforeTrigger = triggers.beforeDelete(className);
    const beforeRule = rules.get(className)?.beforeDelete;
    const isLooked = beforeTrigger || beforeRule || dependsOnObject(schema, "delete", request.caller);
    const original = isLooked ? await readWritable(schema, objectId, principals) : undefined;
    if (original && !mayChange(schema, "delete", request.caller, original)) throw notFound();
    const draft = newDraft(className, objectId, {}, original);
    if (original) await beforeTrigger?.(original, request);
    await beforeRule?.(draft, request);
    const [result] = await commit(
      [{ kind: "delete", schema, id: objectId, principals }],
      draft,
      schema,
      request,
    );
    await publish(draft, result, request);
    await finish(draft);
  }

  function onChange(listener: ChangeListener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  return { create, update, remove, onChange };

  /** The object as it is, for rules and triggers: only where the caller may write it. */
  async function readWritable(schema: ClassSchema, id: string, principals: Principals): Promise<JsonObject> {
    const text = await store.get(schema, id, null);
    const object: JsonObject | undefined = text === undefined ? undefined : JSON.parse(text);
    if (!object || !isGranted(object, "write", principals)) throw notFound();
    return mayHoldFiles(text ?? "") ? fileUrls.expand(object, {}) : object;
  }

  /** Addresses of files are made when somebody reads: ours are not stored. */
  function stripFiles({ operations }: Draft, request: RequestContext): void {
    for (const [path, operation] of Object.entries(operations)) {
      if (operation.op === "Set") {
        operations[path] = { op: "Set", value: fileUrls.strip(operation.value, request) };
      } else if (operation.op === "Add" || operation.op === "AddUnique" || operation.op === "Remove") {
        const objects = operation.objects.map((object) => fileUrls.strip(object, request));
        operations[path] = { op: operation.op, objects };
      }
    }
  }

  function schemaFor(draft: Draft, request: RequestContext): Promise<ClassSchema> {
    return schemas.forWrite(draft.className, draft.operations, (schema) => {
      if (schema) {
        authorise(schema, "addField", request.caller);
        const isOpen = parts.allowClientAddField || schema.classLevelPermissions.addField !== undefined;
        if (!isOpen && request.caller.kind !== "master") throw noNewField(draft.className);
        // Whoever may add fields only to objects that point to them adds none to a new one.
        const object = draft.original ?? {};
        if (!mayChange(schema, "addField", request.caller, object)) throw noNewField(draft.className);
      } else if (request.caller.kind !== "master" && !parts.allowClientClassCreation) {
        throw new ProtocolError(
          ErrorCode.OPERATION_FORBIDDEN,
          `This user is not allowed to access non-existent class: ${draft.className}`,
        );
      }
      return request.caller.kind === "master" ? undefined : parts.growthLimits;
    });
  }

  /** Stores the write with its relations and whatever rules and triggers have added, all or nothing. */
  async function commit(
    writes: Write[],
    draft: Draft,
    schema: ClassSchema,
    { together }: RequestContext,
  ): Promise<WriteResult[]> {
    for (const [key, operation] of Object.entries(draft.operations)) {
      if (operation.op !== "Relation") continue;
      const add = operation.add.map((pointer) => pointer.objectId);
      const removed = operation.remove.map((pointer) => pointer.objectId);
      writes.push({ kind: "relate", schema, id: draft.objectId, key, add, remove: removed });
    }
    try {
      const all = [...writes, ...draft.writes];
      return await (together ? together.join(all) : store.write(all));
    } catch (error) {
      const taken = error instanceof ClaimTaken && rules.get(draft.className)?.onClaimTaken?.(error);
      throw taken || error;
    }
  }

  /** Tells listeners, and waits for the after trigger, as clients of Parse expect; what it throws is only told. */
  async function publish(
    draft: Draft,
    result: WriteResult | undefined,
    request: RequestContext,
  ): Promise<void> {
    if (!result) return;
    const change: Change = { className: draft.className, objectId: draft.objectId, ...result, request };
    for (const listener of listeners) {
      try {
        listener(change);
      } catch (error) {
        parts.onError(error, `a listener to changes of ${draft.className}`);
      }
    }
    const after =
      change.after === null ? triggers.afterDelete(draft.className) : triggers.afterSave(draft.className);
    await after?.(withAddresses(change)).catch((error: unknown) =>
      parts.onError(error, `an after trigger of ${draft.className}`),
    );
  }

  /** A change as triggers are told of it. */
  function withAddresses(change: Change): Change {
    const shown = (text: string | null) =>
      text !== null && mayHoldFiles(text)
        ? JSON.stringify(fileUrls.expand(JSON.parse(text), change.request))
        : text;
    return { ...change, before: shown(change.before), after: shown(change.after) };
  }

  async function finish(draft: Draft): Promise<void> {
    for (const step of draft.afterwards) await step();
  }
}

function newDraft(
  className: string,
  objectId: string,
  operations: Record<string, Operation>,
  original: JsonObject | undefined,
): Draft {
  return { className, objectId, operations, original, secret: {}, writes: [], reply: {}, afterwards: [] };
}

function noNewField(className: string): ProtocolError {
  return new ProtocolError(
    ErrorCode.OPERATION_FORBIDDEN,
    `Permission denied for action addField on class ${className}.`,
  );
}

function notFound(): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
}

function isGranted(object: JsonObject, permission: "read" | "write", principals: Principals): boolean {
  if (principals === null) return true;
  const acl: Acl | undefined = object.ACL === undefined ? undefined : parseAcl(object.ACL);
  const granted = principalsWith(acl, permission);
  return granted === null || granted.some((principal) => principals.includes(principal));
}

function changedPaths(before: Record<string, Operation>, after: Record<string, Operation>): string[] {
  return Object.keys(after).filter((path) => before[path] !== after[path]);
}

/** Puts in what a new object does not bring: defaults, the ACL. Throws 142 where something required is missing. */
function fillIn(
  draft: Draft,
  schema: ClassSchema,
  { caller }: RequestContext,
  defaultAcl: JsonObject | undefined,
): void {
  const { operations } = draft;
  for (const [name, field] of Object.entries(schema.fields)) {
    if (!isEmpty(operations[name])) continue;
    if (field.defaultValue !== undefined) {
      operations[name] = { op: "Set", value: canonicalValue(field.defaultValue) };
    } else if (field.required) throw missing(name);
  }
  if ("ACL" in operations || schema.className.startsWith("_")) return;
  const acl: JsonObject | undefined = schema.classLevelPermissions.ACL ?? defaultAcl;
  // An ACL that lets everyone do everything is none.
  if (!acl || isOpen(acl)) return;
  const { currentUser, ...others } = acl;
  const own = currentUser && caller.kind === "user" ? { [caller.userId]: currentUser } : {};
  operations.ACL = { op: "Set", value: { ...others, ...own } };
}

function isOpen(acl: JsonObject): boolean {
  const everyone = acl["*"];
  return isJsonObject(everyone) && everyone.read === true && everyone.write === true;
}

/** The id that a new object brings. Throws 104 where it brings none that can be one. */
function chosenId(value: JsonValue | undefined): string {
  if (value === undefined) return newObjectId();
  if (typeof value === "string" && /^[0-9A-Za-z_-]{1,128}$/.test(value)) return value;
  throw new ProtocolError(
    ErrorCode.MISSING_OBJECT_ID,
    value === null || value === "" || typeof value !== "string"
      ? "objectId must not be empty, null or undefined"
      : "objectId takes letters, digits, _ and -",
  );
}

/** Throws 142 where a change would take something required away. */
function assertKept(operations: Record<string, Operation>, schema: ClassSchema): void {
  for (const [name, operation] of Object.entries(operations)) {
    if (schema.fields[name]?.required && isEmpty(operation)) throw missing(name);
  }
}

function isEmpty(operation: Operation | undefined): boolean {
  if (!operation || operation.op === "Delete") return true;
  return operation.op === "Set" && (operation.value === null || operation.value === "");
}

function missing(name: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, `${name} is required`);
}

/** Tells the client what became of a field: its top-level value, or that it is gone. */
function echo(body: JsonObject, path: string, object: JsonObject): void {
  const [name = ""] = path.split(".", 1);
  const value = object[name];
  body[name] = value === undefined ? { __op: "Delete" } : value;
}
