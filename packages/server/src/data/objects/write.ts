import { applyOperations, assertClassName, ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { aclSubjectsOf, bypassesPermissions, type RequestContext } from "../../core/authContext.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { mayContainFiles } from "../fileUrls.ts";
import { evaluateAcl } from "../permissions/acl.ts";
import {
  authorizeOperation,
  evaluateClassPermissions,
  mayAddFields,
} from "../permissions/classPermissions.ts";
import { assertClientAccess, assertPointsToClientClasses } from "../permissions/clientAccess.ts";
import { evaluatePointers, requiredPointers } from "../permissions/pointerPermissions.ts";
import type { GrowthLimits, Schemas } from "../schema/schemas.ts";
import { changedNames, createAfterSaveAnswer, createChangedFields, returnedPaths } from "./changedFields.ts";
import { type CommitDependencies, createCommit } from "./commitWrite.ts";
import { parseCustomId } from "./customObjectId.ts";
import { applyDefaults, assertRequiredKept } from "./fieldDefaults.ts";
import { checkTriggerFields, parseFields } from "./fields.ts";
import { assertTimes, timesOf } from "./importedTimes.ts";
import type { AssertAllowed } from "./keywordDenylist.ts";
import { newObjectId } from "./objectId.ts";
import type { Objects, SaveReply } from "./objects.ts";
import { assertStorable, changedPaths, createPendingWrite, type PendingWrite } from "./pendingWrite.ts";
import type { ReadAccess } from "./readAccess.ts";
import type { Serializer } from "./serializer.ts";
import type { AfterSaveResult, BeforeSave } from "./triggers.ts";
import type { WriteOptions } from "./writeOptions.ts";

export interface WriteDependencies extends CommitDependencies {
  access: ReadAccess;
  serializer: Serializer;
  schemas: Schemas;
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
}

/** The writing methods of the object service. */
export type Writes = Pick<Objects, "create" | "update" | "remove">;

export function createWrites(dependencies: WriteDependencies): Writes {
  const { access, serializer, store, schemas, rules, triggers, fileUrls } = dependencies;
  const addChangedFields = createChangedFields({ access, serializer });
  const applyAfterSave = createAfterSaveAnswer({ access, serializer });
  const { commit, publishChange, runAfterCommit } = createCommit(dependencies);

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
    const { objectId } = fields;
    // Older clients identify objects by `id`; a client that sends it believes that the object exists already.
    if (fields.id && !options.allowCustomId) {
      throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, "id is an invalid field name.");
    }
    const allowsCustomId = dependencies.allowCustomObjectId || options.allowCustomId === true;
    const id = allowsCustomId ? parseCustomId(className, objectId) : newObjectId();
    assertTimes(fields, auth);
    const written = allowsCustomId && objectId !== undefined ? withoutObjectId(fields) : fields;
    const operations = parseFields(written, { derivedFields: rule?.derivedFields });
    assertPointsToClientClasses(operations, auth, rules);
    dependencies.assertAllowed?.(fields);
    const pending = createPendingWrite(className, id, operations, undefined, options);
    if (objectId !== undefined && dependencies.allowCustomObjectId && !options.allowCustomId)
      pending.customId = id;
    const requested = { ...pending.operations };
    if (rule?.normalize) await rule.normalize(pending, request);
    const beforeSave = triggers.beforeSave(className);
    const reverted = beforeSave ? await runBeforeSave(beforeSave, pending, request) : [];
    // Class rules return the fields that they set themselves.
    const triggered = changedPaths(requested, pending.operations);
    const returned = [...triggered, ...reverted];
    if (rule?.beforeCreate) await rule.beforeCreate(pending, request);
    stripFileUrls(pending, request);
    assertStorable(pending);
    const schema = await schemaFor(pending, request);
    const times = timesOf(fields, auth, new Date(dependencies.clock()).toISOString());
    const { createdAt: at, updatedAt } = times;
    const defaults = applyDefaults(pending, schema, request, dependencies.defaultAcl);
    const object = applyOperations({ objectId: pending.objectId, ...times }, pending.operations);
    const body: JsonObject = { objectId: pending.objectId, createdAt: at };
    const changed = returnedPaths(pending.operations, returned);
    if (changed.length + defaults.length > 0)
      await addChangedFields(body, pending, { changed, defaults }, object, request);
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
    if (pending.afterCommit.length > 0) await runAfterCommit(pending);
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
    if (rule?.normalize) await rule.normalize(pending, request);
    const beforeSave = triggers.beforeSave(className);
    const reverted = beforeSave ? await runBeforeSave(beforeSave, pending, request) : [];
    if (rule?.beforeUpdate) await rule.beforeUpdate(pending, request);
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
    const echoed = changedNames(operations, triggers.afterSave(className) ? reverted : returned);
    const [result] = await commit(
      [{ kind: "update", schema, id: objectId, at, operations, secret, subjects, pointers, ifUpdatedAt }],
      pending,
      schema,
      options,
      options.idempotentWrite?.writes(
        { status: 200, body: fileUrls.expand({ updatedAt: at, ...pending.returnedFields }, request) },
        echoed.length > 0 ? { schema, id: objectId, fields: echoed } : undefined,
      ),
    );
    const answer = await publishChange(pending, result, request);
    if (pending.afterCommit.length > 0) await runAfterCommit(pending);

    const body: JsonObject = { updatedAt: at };
    if (result?.after) {
      const changed = returnedPaths(operations, returned);
      if (changed.length > 0) await addChangedFields(body, pending, { changed }, result.after, request);
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
  async function runBeforeSave(
    beforeSave: BeforeSave,
    pending: PendingWrite,
    request: RequestContext,
  ): Promise<string[]> {
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
    for (const path in operations) {
      const operation = operations[path];
      if (!operation) continue;
      if (operation.op === "Set") {
        const value = fileUrls.strip(operation.value, request);
        if (value !== operation.value) operations[path] = { op: "Set", value };
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

function withoutObjectId({ objectId: _, ...fields }: JsonObject): JsonObject {
  return fields;
}

/** Returns a response without the fields of these paths. */
function withoutPaths(body: JsonObject, paths: readonly string[]): JsonObject {
  const names = new Set(paths.map((path) => path.split(".", 1)[0]));
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.has(name)));
}
