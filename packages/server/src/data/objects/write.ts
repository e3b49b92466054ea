import {
  applyOperations,
  assertClassName,
  assertStorableTexts,
  ErrorCode,
  type JsonObject,
  type JsonValue,
  type Operation,
  ProtocolError,
  ROLE_PREFIX,
} from "@purse/protocol";
import { aclSubjectsOf, bypassesPermissions, type RequestContext } from "../../core/authContext.ts";
import type { EventBus } from "../../core/eventBus.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { type Store, UniqueConstraintError, type Write, type WriteResult } from "../../database/store.ts";
import { type FileUrls, mayContainFiles } from "../fileUrls.ts";
import { defaultAcl, evaluateAcl } from "../permissions/acl.ts";
import {
  authorizeOperation,
  evaluateClassPermissions,
  mayAddFields,
} from "../permissions/classPermissions.ts";
import { assertClientAccess, assertPointsToClientClasses } from "../permissions/clientAccess.ts";
import { evaluatePointers, requiredPointers } from "../permissions/pointerPermissions.ts";
import type { GrowthLimits, Schemas } from "../schema/schemas.ts";
import type { Change } from "./change.ts";
import { changedNames, createAfterSaveAnswer, createChangedFields } from "./changedFields.ts";
import { canonicalValue, checkTriggerFields, parseFields } from "./fields.ts";
import { assertTimes, timesOf } from "./importedTimes.ts";
import type { AssertAllowed } from "./keywordDenylist.ts";
import { newObjectId } from "./objectId.ts";
import type { Objects, SaveReply } from "./objects.ts";
import type { PendingWrite } from "./pendingWrite.ts";
import type { ReadAccess } from "./readAccess.ts";
import type { ClassRules } from "./rules.ts";
import type { Serializer } from "./serializer.ts";
import type { AfterSaveResult, Triggers } from "./triggers.ts";
import type { WriteOptions } from "./writeOptions.ts";

export interface WriteDependencies {
  access: ReadAccess;
  serializer: Serializer;
  store: Store;
  schemas: Schemas;
  rules: ReadonlyMap<string, ClassRules>;
  triggers: Triggers;
  fileUrls: FileUrls;
  events: EventBus;
  /** Whether clients without the master key may create classes by saving objects. */
  allowClientClassCreation: boolean;
  /** Whether clients without the master key may add fields to classes that do not restrict addField. */
  allowClientAddField: boolean;
  /** Limits on the growth of classes by saves; unlimited if undefined. */
  growthLimits?: GrowthLimits;
  /** Whether clients may choose the ids of new objects. */
  allowCustomObjectId: boolean;
  /** Throws 105 if what is written contains a denied keyword. */
  assertAllowed?: AssertAllowed;
  /** Whether an object that an afterSave trigger returns replaces the response. */
  afterSaveReplies?: boolean;
  /** Default ACL of new objects; `currentUser` in it stands for the user who creates them. */
  defaultAcl: JsonObject | undefined;
  /** Returns the time in ms since the epoch. */
  clock: () => number;
  /** Called for errors that must not fail a write that is already committed. */
  onError: (error: unknown, activity: string) => void;
}

/** The writing methods of the object service. */
export type Writes = Pick<Objects, "create" | "update" | "remove">;

export function createWrites(dependencies: WriteDependencies): Writes {
  const { access, serializer, store, schemas, rules, triggers, fileUrls } = dependencies;
  const addChangedFields = createChangedFields({ access, serializer });
  const applyAfterSave = createAfterSaveAnswer({ access, serializer });

  async function create(
    request: RequestContext,
    className: string,
    fields: JsonObject,
    options: WriteOptions = {},
  ): Promise<SaveReply> {
    const { auth } = request;
    const rule = rules.get(className);
    assertClientAccess(className, "create", auth, rules);
    assertClassName(className);
    authorizeOperation(schemas.get(className), "create", auth);
    const { objectId, ...rest } = fields;
    // Older clients identify objects by `id`; a client that sends it believes that the object exists already.
    if (fields.id && !options.allowCustomId) {
      throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, "id is an invalid field name.");
    }
    const allowsCustomId = dependencies.allowCustomObjectId || options.allowCustomId === true;
    const id = allowsCustomId ? parseCustomId(className, objectId) : newObjectId();
    assertTimes(fields, auth);
    const operations = parseFields(allowsCustomId ? rest : fields, { derivedFields: rule?.derivedFields });
    assertPointsToClientClasses(operations, auth, rules);
    dependencies.assertAllowed?.(fields);
    const pending = createPendingWrite(className, id, operations, undefined, options);
    if (objectId !== undefined && dependencies.allowCustomObjectId && !options.allowCustomId)
      pending.customId = id;
    const requested = { ...pending.operations };
    await rule?.normalize?.(pending, request);
    const reverted = await runBeforeSave(pending, request);
    // Class rules return the fields that they set themselves.
    const triggered = changedPaths(requested, pending.operations);
    const returned = [...triggered, ...reverted];
    await rule?.beforeCreate?.(pending, request);
    stripFileUrls(pending, request);
    assertStorable(pending);
    const schema = await schemaFor(pending, request);
    const times = timesOf(fields, auth, new Date(dependencies.clock()).toISOString());
    const { createdAt: at, updatedAt } = times;
    const beforeDefaults = { ...pending.operations };
    applyDefaults(pending, schema, request, dependencies.defaultAcl);
    const defaults = changedPaths(beforeDefaults, pending.operations).filter((path) => path !== "ACL");
    const filled = applyOperations({}, pending.operations);
    const object: JsonObject = { objectId: pending.objectId, ...times, ...filled };
    const body: JsonObject = { objectId: pending.objectId, createdAt: at };
    await addChangedFields(body, pending, { returned, defaults }, object, request);
    const replyOf = (fields: JsonObject): SaveReply => ({
      status: 201,
      body: fileUrls.expand({ ...fields, ...pending.returnedFields }, request),
    });
    // An afterSave trigger may remove fields from the response that is sent, which is not stored again.
    const storedBody = triggers.afterSave(className) ? withoutPaths(body, triggered) : body;
    const { secret } = pending;
    const [result] = await commit(
      [{ kind: "create", schema, id, at, updatedAt, object, secret }],
      pending,
      schema,
      options,
      options.idempotentWrite?.writes(replyOf(storedBody)),
    );
    const answer = await publishChange(pending, result, request);
    await runAfterCommit(pending);
    if (answer && result?.after) {
      const context = { sent: Object.keys(requested), stored: result.after };
      await applyAfterSave(body, answer, pending, context, request);
    }
    return replyOf(replacementOf(answer) ?? body);
  }

  async function update(
    request: RequestContext,
    className: string,
    objectId: string,
    fields: JsonObject,
    options: WriteOptions = {},
  ): Promise<SaveReply> {
    const { auth } = request;
    const rule = rules.get(className);
    assertClientAccess(className, "update", auth, rules);
    assertClassName(className);
    rule?.beforeWrite?.("update", objectId, request);
    const current = schemas.get(className);
    authorizeOperation(current, "update", auth);
    if (!current) throw notFound();
    const subjects = aclSubjectsOf(auth);
    const pointers = requiredPointers(current, "update", auth);
    const needsOriginal =
      triggers.beforeSave(className) ||
      rule?.beforeUpdate ||
      rule?.normalize ||
      pointers ||
      evaluateClassPermissions(current, "addField", auth).objects === "pointing";
    const original = needsOriginal ? await readWritable(current, objectId, request) : undefined;
    if (original && !evaluatePointers(current, "update", auth, original))
      throw notWritable(className, request);
    const requestedOperations = parseFields(fields, { derivedFields: rule?.derivedFields, id: objectId });
    assertPointsToClientClasses(requestedOperations, auth, rules);
    dependencies.assertAllowed?.(fields);
    const pending = createPendingWrite(className, objectId, requestedOperations, original, options);
    const requested = { ...pending.operations };
    await rule?.normalize?.(pending, request);
    const reverted = await runBeforeSave(pending, request);
    await rule?.beforeUpdate?.(pending, request);
    const triggered = changedPaths(requested, pending.operations);
    const returned = [...triggered, ...reverted];
    stripFileUrls(pending, request);
    assertStorable(pending);
    const schema = await schemaFor(pending, request);
    assertRequiredKept(pending.operations, schema);
    const at = new Date(dependencies.clock()).toISOString();
    const { operations, secret } = pending;
    const { ifUpdatedAt } = options;
    // An afterSave trigger may remove fields from the response that is sent, which is not stored again.
    const changed = changedNames(operations, triggers.afterSave(className) ? reverted : returned);
    const [result] = await commit(
      [{ kind: "update", schema, id: objectId, at, operations, secret, subjects, pointers, ifUpdatedAt }],
      pending,
      schema,
      options,
      options.idempotentWrite?.writes(
        { status: 200, body: fileUrls.expand({ updatedAt: at, ...pending.returnedFields }, request) },
        changed.length > 0 ? { schema, id: objectId, fields: changed } : undefined,
      ),
    );
    const answer = await publishChange(pending, result, request);
    await runAfterCommit(pending);

    const body: JsonObject = { updatedAt: at };
    if (result?.after) {
      await addChangedFields(body, pending, { returned }, result.after, request);
      const context = { sent: Object.keys(requested), stored: result.after };
      if (answer) await applyAfterSave(body, answer, pending, context, request);
    }
    const sent = { ...(replacementOf(answer) ?? body), ...pending.returnedFields };
    return { status: 200, body: fileUrls.expand(sent, request) };
  }

  function replacementOf(answer: AfterSaveResult | undefined): JsonObject | undefined {
    return dependencies.afterSaveReplies ? answer?.reply : undefined;
  }

  async function remove(
    request: RequestContext,
    className: string,
    objectId: string,
    options: WriteOptions = {},
  ): Promise<void> {
    const { auth } = request;
    const rule = rules.get(className);
    assertClientAccess(className, "delete", auth, rules);
    assertClassName(className);
    rule?.beforeWrite?.("delete", objectId, request);
    const schema = schemas.get(className);
    authorizeOperation(schema, "delete", auth);
    if (!schema) throw notFound();
    const subjects = aclSubjectsOf(auth);
    const pointers = requiredPointers(schema, "delete", auth);
    const beforeTrigger = triggers.beforeDelete(className);
    const needsOriginal = beforeTrigger || rule?.beforeDelete || pointers;
    const original = needsOriginal ? await readWritable(schema, objectId, request) : undefined;
    if (original && !evaluatePointers(schema, "delete", auth, original))
      throw notWritable(className, request);
    const pending = createPendingWrite(className, objectId, {}, original);
    if (original) await beforeTrigger?.(original, request);
    await rule?.beforeDelete?.(pending, request);
    const [result] = await commit(
      [{ kind: "delete", schema, id: objectId, subjects, pointers }],
      pending,
      schema,
      options,
      options.idempotentWrite?.writes({ status: 200, body: {} }),
    );
    let triggerError: unknown;
    await publishChange(pending, result, request, (error) => {
      triggerError = error;
    });
    await runAfterCommit(pending);
    // As in Parse Server, although the object is deleted. A transaction is answered as a whole, and has succeeded.
    if (triggerError instanceof ProtocolError && !options.transaction) throw triggerError;
  }

  return { create, update, remove };

  /** Returns the paths that the trigger reverted. */
  async function runBeforeSave(pending: PendingWrite, request: RequestContext): Promise<string[]> {
    const beforeSave = triggers.beforeSave(pending.className);
    if (!beforeSave) return [];
    const before = { ...pending.operations };
    await beforeSave(pending, request);
    checkTriggerFields(before, pending.operations, rules.get(pending.className)?.derivedFields);
    for (const [path, operation] of Object.entries(pending.operations)) {
      if (operation === before[path]) continue;
      const value =
        operation.op === "Set" ? operation.value : "objects" in operation ? operation.objects : null;
      dependencies.assertAllowed?.({ [path]: value });
    }
    return Object.keys(before).filter((path) => !(path in pending.operations));
  }

  /** Reads the current object for rules and triggers. Throws 101, or what the rules say, unless the client may write it. */
  async function readWritable(schema: ClassSchema, id: string, request: RequestContext): Promise<JsonObject> {
    const text = await store.get(schema, id, null);
    const object: JsonObject | undefined = text === undefined ? undefined : JSON.parse(text);
    if (!object || !evaluateAcl(object, "write", aclSubjectsOf(request.auth))) {
      throw notWritable(schema.className, request);
    }
    return mayContainFiles(text ?? "") ? fileUrls.expand(object, {}) : object;
  }

  function notWritable(className: string, request: RequestContext): ProtocolError {
    return rules.get(className)?.onNotWritable?.(request) ?? notFound();
  }

  /** Removes file URLs of this server from a write, since they are generated when objects are read. */
  function stripFileUrls({ operations }: PendingWrite, request: RequestContext): void {
    for (const [path, operation] of Object.entries(operations)) {
      if (operation.op === "Set") {
        operations[path] = { op: "Set", value: fileUrls.strip(operation.value, request) };
      } else if (operation.op === "Add" || operation.op === "AddUnique" || operation.op === "Remove") {
        const objects = operation.objects.map((object) => fileUrls.strip(object, request));
        operations[path] = { op: operation.op, objects };
      }
    }
  }

  function schemaFor(pending: PendingWrite, request: RequestContext): Promise<ClassSchema> {
    return schemas.ensureForWrite(pending.className, pending.operations, (schema) => {
      if (schema) {
        authorizeOperation(schema, "addField", request.auth);
        if (!mayAddFields(schema, request.auth, dependencies.allowClientAddField))
          throw addFieldDeniedError(pending.className);
        // A client that may only add fields to objects that point to it cannot add any to a new object.
        if (!evaluatePointers(schema, "addField", request.auth, pending.original ?? {}))
          throw pending.original ? notFound() : addFieldDeniedError(pending.className);
      } else if (!bypassesPermissions(request.auth) && !dependencies.allowClientClassCreation) {
        throw new ProtocolError(
          ErrorCode.OPERATION_FORBIDDEN,
          `This user is not allowed to access non-existent class: ${pending.className}`,
        );
      }
      return bypassesPermissions(request.auth) ? undefined : dependencies.growthLimits;
    });
  }

  /** Commits the write together with its relations and the writes that rules and triggers have added. */
  async function commit(
    writes: Write[],
    pending: PendingWrite,
    schema: ClassSchema,
    { transaction, idempotentWrite }: WriteOptions,
    idempotencyWrites: Write[] = [],
  ): Promise<WriteResult[]> {
    for (const [key, operation] of Object.entries(pending.operations)) {
      if (operation.op !== "Relation") continue;
      const add = operation.add.map((pointer) => pointer.objectId);
      const removed = operation.remove.map((pointer) => pointer.objectId);
      writes.push({ kind: "updateRelation", schema, id: pending.objectId, key, add, remove: removed });
    }
    try {
      const all = [...writes, ...pending.additionalWrites, ...idempotencyWrites];
      const results = await (transaction ? transaction.add(all) : store.write(all));
      if (idempotencyWrites.length > 0) idempotentWrite?.markCommitted();
      return results;
    } catch (error) {
      const translated =
        error instanceof UniqueConstraintError && rules.get(pending.className)?.onUniqueConstraint?.(error);
      throw translated || error;
    }
  }

  /**
   * Notifies listeners and waits for the after trigger, as clients of Parse Server expect. Returns what an afterSave
   * changed of the object. Errors of the trigger are logged.
   */
  async function publishChange(
    pending: PendingWrite,
    result: WriteResult | undefined,
    request: RequestContext,
    onTriggerError?: (error: unknown) => void,
  ): Promise<AfterSaveResult | undefined> {
    if (!result) return undefined;
    const change: Change = { className: pending.className, objectId: pending.objectId, ...result, request };
    dependencies.events.emit("objects.changed", change);
    const after =
      change.after === null ? triggers.afterDelete(pending.className) : triggers.afterSave(pending.className);
    try {
      return (await after?.(withTriggerFields(withFileUrls(change), pending))) ?? undefined;
    } catch (error) {
      dependencies.onError(error, `an after trigger of ${pending.className}`);
      onTriggerError?.(error);
      return undefined;
    }
  }

  /** Adds file URLs to a change for triggers. */
  function withFileUrls(change: Change): Change {
    const withUrls = (text: string | null) =>
      text !== null && mayContainFiles(text)
        ? JSON.stringify(fileUrls.expand(JSON.parse(text), change.request))
        : text;
    return { ...change, before: withUrls(change.before), after: withUrls(change.after) };
  }

  async function runAfterCommit(pending: PendingWrite): Promise<void> {
    for (const step of pending.afterCommit) await step();
  }
}

/** Adds the fields of an object that are stored outside of it to a change for triggers. */
function withTriggerFields(change: Change, { triggerFields }: PendingWrite): Change {
  if (!triggerFields || change.after === null) return change;
  return { ...change, after: JSON.stringify({ ...JSON.parse(change.after), ...triggerFields }) };
}

function createPendingWrite(
  className: string,
  objectId: string,
  operations: Record<string, Operation>,
  original: JsonObject | undefined,
  { additionalWrites = [] }: Pick<WriteOptions, "additionalWrites"> = {},
): PendingWrite {
  return {
    className,
    objectId,
    operations,
    original,
    secret: {},
    additionalWrites: [...additionalWrites],
    returnedFields: {},
    afterCommit: [],
  };
}

/** Throws 107 if a value contains a string that cannot be stored. */
function assertStorable({ operations }: PendingWrite): void {
  for (const operation of Object.values(operations)) {
    if (operation.op === "Set") assertStorableTexts(operation.value);
    else if ("objects" in operation) assertStorableTexts(operation.objects);
  }
}

function addFieldDeniedError(className: string): ProtocolError {
  return new ProtocolError(
    ErrorCode.OPERATION_FORBIDDEN,
    `Permission denied for action addField on class ${className}.`,
  );
}

function notFound(): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
}

/** Returns a response without the fields of these paths. */
function withoutPaths(body: JsonObject, paths: readonly string[]): JsonObject {
  const names = new Set(paths.map((path) => path.split(".", 1)[0]));
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.has(name)));
}

function changedPaths(before: Record<string, Operation>, after: Record<string, Operation>): string[] {
  return Object.keys(after).filter((path) => before[path] !== after[path]);
}

/** Adds default values and the default ACL to a new object. Throws 142 if a required field is missing. */
function applyDefaults(
  pending: PendingWrite,
  schema: ClassSchema,
  { auth }: RequestContext,
  configuredAcl: JsonObject | undefined,
): void {
  const { operations } = pending;
  for (const [name, field] of Object.entries(schema.fields)) {
    if (!isEmpty(operations[name])) continue;
    if (field.defaultValue !== undefined) {
      operations[name] = { op: "Set", value: canonicalValue(field.defaultValue) };
    } else if (field.required) throw missingFieldError(name);
  }
  if ("ACL" in operations) return;
  const acl = defaultAcl(schema, configuredAcl, auth);
  if (acl) operations.ACL = { op: "Set", value: acl };
}

/**
 * Returns the id of a new object, as chosen by the client if given. Throws 104 if it is invalid, and 119 for a user whose
 * id would read as a role in ACLs.
 */
function parseCustomId(className: string, value: JsonValue | undefined): string {
  if (value === undefined) return newObjectId();
  if (className === "_User" && typeof value === "string" && value.startsWith(ROLE_PREFIX)) {
    throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "Invalid object ID.");
  }
  if (typeof value === "string" && /^[0-9A-Za-z_-]{1,128}$/.test(value)) return value;
  throw new ProtocolError(
    ErrorCode.MISSING_OBJECT_ID,
    value === null || value === "" || typeof value !== "string"
      ? "objectId must not be empty, null or undefined"
      : "objectId takes letters, digits, _ and -",
  );
}

/** Throws 142 if a write would remove a required field. */
function assertRequiredKept(operations: Record<string, Operation>, schema: ClassSchema): void {
  for (const [name, operation] of Object.entries(operations)) {
    if (schema.fields[name]?.required && isEmpty(operation)) throw missingFieldError(name);
  }
}

function isEmpty(operation: Operation | undefined): boolean {
  if (!operation || operation.op === "Delete") return true;
  return operation.op === "Set" && (operation.value === null || operation.value === "");
}

function missingFieldError(name: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, `${name} is required`);
}
