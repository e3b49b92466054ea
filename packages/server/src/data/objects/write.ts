import { assertClassName, type JsonObject, ProtocolError } from "@purse/protocol";
import { aclSubjectsOf, type RequestContext } from "../../core/authContext.ts";
import { isTurnUsedUp, ownTurn } from "../../core/limits/timeSlicer.ts";
import { trace } from "../../core/tracing/tracing.ts";
import { type ClassSchema, listsWithPaths } from "../../database/classSchema.ts";
import { mayContainFiles } from "../fileUrls.ts";
import { evaluateAcl } from "../permissions/acl.ts";
import { authorizeOperation, evaluateClassPermissions } from "../permissions/classPermissions.ts";
import { assertClientAccess, assertPointsToClientClasses } from "../permissions/clientAccess.ts";
import { evaluatePointers, requiredPointers } from "../permissions/pointerPermissions.ts";
import { changedNames, createAfterSaveAnswer, createChangedFields, returnedPaths } from "./changedFields.ts";
import { createCommit } from "./commitWrite.ts";
import { type Creates, createCreates } from "./create.ts";
import { assertRequiredKept } from "./fieldDefaults.ts";
import type { Objects, SaveReply } from "./objects.ts";
import { parseFields } from "./parseFields.ts";
import { assertStorable, changedPaths, createPendingWrite } from "./pendingWrite.ts";
import type { WriteOptions } from "./writeOptions.ts";
import { createWriteSteps, notFound, type WriteDependencies } from "./writeSteps.ts";

/** The writing methods of the object service. */
export type Writes = Creates & Pick<Objects, "update" | "remove">;

export function createWrites(dependencies: WriteDependencies): Writes {
  const { store, schemas, rules, triggers, fileUrls, numberDecimals } = dependencies;
  const addChangedFields = createChangedFields(dependencies);
  const applyAfterSave = createAfterSaveAnswer(dependencies);
  const { commit, publishChange, runAfterCommit } = createCommit(dependencies);
  const steps = createWriteSteps(dependencies);

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
    trace("authorize", () => authorizeOperation(current, "update", auth));
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
    if (options.isDivisible && isTurnUsedUp()) await ownTurn();
    const requestedOperations = parseFields(fields, { derivedFields: rule?.derivedFields, id: objectId });
    assertPointsToClientClasses(requestedOperations, auth, rules);
    dependencies.assertAllowed?.(fields);
    const pending = createPendingWrite(className, objectId, requestedOperations, original, options);
    const requested = { ...pending.operations };
    if (options.isDivisible && isTurnUsedUp()) await ownTurn();
    if (rule?.normalize) await rule.normalize(pending, request);
    const beforeSave = options.skipsTriggers ? undefined : triggers.beforeSave(className);
    const reverted = beforeSave ? await steps.runBeforeSave(beforeSave, pending, request) : [];
    if (rule?.beforeUpdate) await rule.beforeUpdate(pending, request);
    const triggered = changedPaths(requested, pending.operations);
    steps.stripFileUrls(pending, request);
    assertStorable(pending);
    if (options.isDivisible && isTurnUsedUp()) await ownTurn();
    const fitting = steps.schemaFor(pending, request);
    const schema = fitting instanceof Promise ? await fitting : fitting;
    assertRequiredKept(pending.operations, schema);
    // What a client knows of an array may be out of date, so that it cannot compute the result of a path into it.
    const returned = [...triggered, ...reverted, ...listsWithPaths(schema, pending.operations)];
    const at = new Date(dependencies.clock()).toISOString();
    const { operations, secret } = pending;
    const { ifUpdatedAt } = options;
    // An afterSave trigger may remove fields from the response that is sent, which is not stored again.
    const echoed = changedNames(operations, triggers.afterSave(className) ? reverted : returned);
    const [result] = await commit(
      [{ kind: "update", schema, id: objectId, at, operations, secret, subjects, pointers, ifUpdatedAt }],
      pending,
      schema,
      request,
      options,
      options.idempotentWrite?.writes(
        { status: 200, body: fileUrls.expand({ updatedAt: at, ...pending.returnedFields }, request) },
        echoed.length > 0 ? { schema, id: objectId, fields: echoed } : undefined,
      ),
    );
    const afterSave = publishChange(pending, result, request, options);
    const answer = afterSave && (await afterSave);
    if (pending.afterCommit.length > 0) await runAfterCommit(pending);

    const body: JsonObject = { updatedAt: at };
    if (result?.after) {
      const changed = returnedPaths(operations, returned);
      if (changed.length > 0) await addChangedFields(body, pending, changed, result.after, request);
      const context = { sent: Object.keys(requested), stored: result.after };
      if (answer) await applyAfterSave(body, answer, pending, context, request);
    }
    const sent = { ...((dependencies.afterSaveReplies && answer?.reply) || body), ...pending.returnedFields };
    return { status: 200, body: fileUrls.expand(sent, request) };
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
    trace("authorize", () => authorizeOperation(schema, "delete", auth));
    if (!schema) throw notFound();
    const subjects = aclSubjectsOf(auth);
    const pointers = requiredPointers(schema, "delete", auth);
    const beforeTrigger = options.skipsTriggers ? undefined : triggers.beforeDelete(className);
    const needsOriginal = beforeTrigger || rule?.beforeDelete || pointers;
    const original = needsOriginal ? await readWritable(schema, objectId, request) : undefined;
    if (original && !evaluatePointers(schema, "delete", auth, original))
      throw notWritable(className, request);
    const pending = createPendingWrite(className, objectId, {}, original);
    if (original) await beforeTrigger?.(numberDecimals(className)?.object(original) ?? original, request);
    await rule?.beforeDelete?.(pending, request);
    const [result] = await commit(
      [{ kind: "delete", schema, id: objectId, subjects, pointers }],
      pending,
      schema,
      request,
      options,
      options.idempotentWrite?.writes({ status: 200, body: {} }),
    );
    let triggerError: unknown;
    await publishChange(pending, result, request, options, (error) => {
      triggerError = error;
    });
    await runAfterCommit(pending);
    // As in Parse Server, although the object is deleted. A transaction is answered as a whole, and has succeeded.
    if (triggerError instanceof ProtocolError && !options.transaction) throw triggerError;
  }

  return { ...createCreates(dependencies), update, remove };

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
}
