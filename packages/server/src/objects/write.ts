import {
  applyOperations,
  assertClassName,
  assertStorableTexts,
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Operation,
  ProtocolError,
} from "@purse/protocol";
import { aclSubjectsOf, type RequestContext } from "../authContext.ts";
import { type FileUrls, mayContainFiles } from "../files/fileUrls.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import type { GrowthLimits, Schemas } from "../schema/schemas.ts";
import type { Principals } from "../store/principals.ts";
import { ClaimTaken, type Store, type Write, type WriteResult } from "../store/store.ts";
import type { Change, ChangeListener } from "./change.ts";
import { changedNames, createChangedFields } from "./changedFields.ts";
import { assertPointsToClientClasses, assertReachable } from "./clientAccess.ts";
import type { Draft } from "./draft.ts";
import { canonicalValue, checkTriggerFields, parseFields } from "./fields.ts";
import { newObjectId } from "./objectId.ts";
import type { Objects, SaveReply } from "./objects.ts";
import { authorise, dependsOnObject, mayChange, requiredPointers } from "./permissions.ts";
import type { Presentation } from "./presentation.ts";
import { isGranted, type ReadAccess } from "./readAccess.ts";
import type { ClassRules } from "./rules.ts";
import type { Triggers } from "./triggers.ts";

export interface WriteParts {
  access: ReadAccess;
  presentation: Presentation;
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
  const { access, presentation, store, schemas, rules, triggers, fileUrls } = parts;
  const listeners = new Set<ChangeListener>();
  const addChangedFields = createChangedFields({ access, presentation });

  async function create(request: RequestContext, className: string, fields: JsonObject): Promise<SaveReply> {
    const { auth } = request;
    const rule = rules.get(className);
    assertReachable(className, "create", auth, rules);
    assertClassName(className);
    authorise(schemas.get(className), "create", auth);
    const { objectId, ...rest } = fields;
    // Old clients tell an object by it; one that sends it thinks that the object is stored already.
    if (fields.id && !request.allowCustomId) {
      throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, "id is an invalid field name. Invalid Key name");
    }
    const choosesId = parts.allowCustomObjectId || request.allowCustomId === true;
    const id = choosesId ? chosenId(objectId) : newObjectId();
    const operations = parseFields(choosesId ? rest : fields, { derivedFields: rule?.derivedFields });
    assertPointsToClientClasses(operations, auth, rules);
    const draft = newDraft(className, id, operations, undefined);
    const requested = { ...draft.operations };
    await rule?.normalize?.(draft, request);
    await runBeforeSave(draft, request);
    // Fields that rules set are returned by the rules themselves.
    const returned = changedPaths(requested, draft.operations);
    await rule?.beforeCreate?.(draft, request);
    stripFiles(draft, request);
    assertTexts(draft);
    const schema = await schemaFor(draft, request);
    const at = new Date(parts.clock()).toISOString();
    const given = { ...draft.operations };
    fillIn(draft, schema, request, parts.defaultAcl);
    const defaults = changedPaths(given, draft.operations).filter((path) => path !== "ACL");
    const filled = applyOperations({}, draft.operations);
    const object: JsonObject = { objectId: draft.objectId, createdAt: at, updatedAt: at, ...filled };
    const body: JsonObject = { objectId: draft.objectId, createdAt: at };
    await addChangedFields(body, draft, { returned, defaults }, object, request);
    const reply: SaveReply = { status: 201, body: fileUrls.expand({ ...body, ...draft.reply }, request) };
    const { secret } = draft;
    const [result] = await commit(
      [{ kind: "create", schema, id, at, object, secret }],
      draft,
      schema,
      request,
      request.memory?.steps(reply),
    );
    await publish(draft, result, request);
    await finish(draft);
    return reply;
  }

  async function update(
    request: RequestContext,
    className: string,
    objectId: string,
    fields: JsonObject,
  ): Promise<SaveReply> {
    const { auth } = request;
    const rule = rules.get(className);
    assertReachable(className, "update", auth, rules);
    assertClassName(className);
    rule?.beforeWrite?.("update", objectId, request);
    const current = schemas.get(className);
    authorise(current, "update", auth);
    if (!current) throw notFound();
    const principals = aclSubjectsOf(auth);
    const pointers = requiredPointers(current, "update", auth);
    const isLooked =
      triggers.beforeSave(className) ||
      rule?.beforeUpdate ||
      rule?.normalize ||
      dependsOnObject(current, "update", auth);
    const original = isLooked ? await readWritable(current, objectId, principals) : undefined;
    if (original && !mayChange(current, "update", auth, original)) throw notFound();
    const asks = parseFields(fields, { derivedFields: rule?.derivedFields, id: objectId });
    assertPointsToClientClasses(asks, auth, rules);
    const draft = newDraft(className, objectId, asks, original);
    const requested = { ...draft.operations };
    await rule?.normalize?.(draft, request);
    await runBeforeSave(draft, request);
    await rule?.beforeUpdate?.(draft, request);
    const returned = changedPaths(requested, draft.operations);
    stripFiles(draft, request);
    assertTexts(draft);
    const schema = await schemaFor(draft, request);
    assertKept(draft.operations, schema);
    const at = new Date(parts.clock()).toISOString();
    const { operations, secret } = draft;
    const { ifUpdatedAt } = request;
    const changed = changedNames(operations, returned);
    const [result] = await commit(
      [{ kind: "update", schema, id: objectId, at, operations, secret, principals, pointers, ifUpdatedAt }],
      draft,
      schema,
      request,
      request.memory?.steps(
        { status: 200, body: fileUrls.expand({ updatedAt: at, ...draft.reply }, request) },
        changed.length > 0 ? { schema, id: objectId, fields: changed } : undefined,
      ),
    );
    await publish(draft, result, request);
    await finish(draft);

    const body: JsonObject = { updatedAt: at };
    if (result?.after) await addChangedFields(body, draft, { returned }, result.after, request);
    return { status: 200, body: fileUrls.expand({ ...body, ...draft.reply }, request) };
  }

  async function remove(request: RequestContext, className: string, objectId: string): Promise<void> {
    const { auth } = request;
    const rule = rules.get(className);
    assertReachable(className, "delete", auth, rules);
    assertClassName(className);
    rule?.beforeWrite?.("delete", objectId, request);
    const schema = schemas.get(className);
    authorise(schema, "delete", auth);
    if (!schema) throw notFound();
    const principals = aclSubjectsOf(auth);
    const pointers = requiredPointers(schema, "delete", auth);
    const beforeTrigger = triggers.beforeDelete(className);
    const isLooked = beforeTrigger || rule?.beforeDelete || dependsOnObject(schema, "delete", auth);
    const original = isLooked ? await readWritable(schema, objectId, principals) : undefined;
    if (original && !mayChange(schema, "delete", auth, original)) throw notFound();
    const draft = newDraft(className, objectId, {}, original);
    if (original) await beforeTrigger?.(original, request);
    await rule?.beforeDelete?.(draft, request);
    const [result] = await commit(
      [{ kind: "delete", schema, id: objectId, principals, pointers }],
      draft,
      schema,
      request,
      request.memory?.steps({ status: 200, body: {} }),
    );
    await publish(draft, result, request);
    await finish(draft);
  }

  function onChange(listener: ChangeListener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  return { create, update, remove, onChange };

  async function runBeforeSave(draft: Draft, request: RequestContext): Promise<void> {
    const beforeSave = triggers.beforeSave(draft.className);
    if (!beforeSave) return;
    const before = { ...draft.operations };
    await beforeSave(draft, request);
    checkTriggerFields(before, draft.operations, rules.get(draft.className)?.derivedFields);
  }

  /** The object as it is, for rules and triggers: only where the caller may write it. */
  async function readWritable(schema: ClassSchema, id: string, principals: Principals): Promise<JsonObject> {
    const text = await store.get(schema, id, null);
    const object: JsonObject | undefined = text === undefined ? undefined : JSON.parse(text);
    if (!object || !isGranted(object, "write", principals)) throw notFound();
    return mayContainFiles(text ?? "") ? fileUrls.expand(object, {}) : object;
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
        authorise(schema, "addField", request.auth);
        const isOpen = parts.allowClientAddField || schema.classLevelPermissions.addField !== undefined;
        if (!isOpen && request.auth.kind !== "master") throw noNewField(draft.className);
        // Whoever may add fields only to objects that point to them adds none to a new one.
        const object = draft.original ?? {};
        if (!mayChange(schema, "addField", request.auth, object)) throw noNewField(draft.className);
      } else if (request.auth.kind !== "master" && !parts.allowClientClassCreation) {
        throw new ProtocolError(
          ErrorCode.OPERATION_FORBIDDEN,
          `This user is not allowed to access non-existent class: ${draft.className}`,
        );
      }
      return request.auth.kind === "master" ? undefined : parts.growthLimits;
    });
  }

  /** Stores the write with its relations and whatever rules and triggers have added, all or nothing. */
  async function commit(
    writes: Write[],
    draft: Draft,
    schema: ClassSchema,
    { transaction: together, memory }: RequestContext,
    remembering: Write[] = [],
  ): Promise<WriteResult[]> {
    for (const [key, operation] of Object.entries(draft.operations)) {
      if (operation.op !== "Relation") continue;
      const add = operation.add.map((pointer) => pointer.objectId);
      const removed = operation.remove.map((pointer) => pointer.objectId);
      writes.push({ kind: "relate", schema, id: draft.objectId, key, add, remove: removed });
    }
    try {
      const all = [...writes, ...draft.writes, ...remembering];
      const results = await (together ? together.join(all) : store.write(all));
      if (remembering.length > 0) memory?.kept();
      return results;
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
      text !== null && mayContainFiles(text)
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

/** Whatever clients, triggers and rules have put in can be stored on every database. Throws 107. */
function assertTexts({ operations }: Draft): void {
  for (const operation of Object.values(operations)) {
    if (operation.op === "Set") assertStorableTexts(operation.value);
    else if ("objects" in operation) assertStorableTexts(operation.objects);
  }
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

function changedPaths(before: Record<string, Operation>, after: Record<string, Operation>): string[] {
  return Object.keys(after).filter((path) => before[path] !== after[path]);
}

/** Puts in what a new object does not bring: defaults, the ACL. Throws 142 where something required is missing. */
function fillIn(
  draft: Draft,
  schema: ClassSchema,
  { auth }: RequestContext,
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
  const own = currentUser && auth.kind === "user" ? { [auth.userId]: currentUser } : {};
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
