import { applyOperations, assertClassName, ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import { isTurnUsedUp, ownTurn } from "../../core/limits/timeSlicer.ts";
import { trace } from "../../core/tracing/tracing.ts";
import { type ClassSchema, listsWithPaths } from "../../database/classSchema.ts";
import type { CreateWrite } from "../../database/store.ts";
import { authorizeOperation } from "../permissions/classPermissions.ts";
import { assertClientAccess, assertPointsToClientClasses } from "../permissions/clientAccess.ts";
import { createAfterSaveAnswer, createChangedFields, returnedPaths } from "./changedFields.ts";
import { createCommit } from "./commitWrite.ts";
import { parseCustomId } from "./customObjectId.ts";
import { applyDefaults } from "./fieldDefaults.ts";
import { assertTimes, timesOf } from "./importedTimes.ts";
import { newObjectId } from "./objectId.ts";
import type { Objects, PreparedCreate, SaveReply } from "./objects.ts";
import { parseFields } from "./parseFields.ts";
import { assertStorable, changedPaths, createPendingWrite, type PendingWrite } from "./pendingWrite.ts";
import type { WriteOptions } from "./writeOptions.ts";
import { createWriteSteps, type WriteDependencies } from "./writeSteps.ts";

/** The methods of the object service that create objects. */
export type Creates = Pick<Objects, "create" | "prepareCreate" | "createEach">;

export function createCreates(dependencies: WriteDependencies): Creates {
  const { store, schemas, rules, triggers, fileUrls, events } = dependencies;
  const addChangedFields = createChangedFields(dependencies);
  const applyAfterSave = createAfterSaveAnswer(dependencies);
  const { commit, publishChange, runAfterCommit } = createCommit(dependencies);
  const steps = createWriteSteps(dependencies);

  async function create(
    request: RequestContext,
    className: string,
    fields: JsonObject,
    options: WriteOptions = {},
  ): Promise<SaveReply> {
    const rule = rules.get(className);
    const pending = begin(request, className, fields, options);
    const requested = { ...pending.operations };
    if (options.isDivisible && isTurnUsedUp()) await ownTurn();
    if (rule?.normalize) await rule.normalize(pending, request);
    const beforeSave = options.skipsTriggers ? undefined : triggers.beforeSave(className);
    const reverted = beforeSave ? await steps.runBeforeSave(beforeSave, pending, request) : [];
    // Class rules return the fields that they set themselves.
    const triggered = changedPaths(requested, pending.operations);
    if (rule?.beforeCreate) await rule.beforeCreate(pending, request);
    steps.stripFileUrls(pending, request);
    assertStorable(pending);
    if (options.isDivisible && isTurnUsedUp()) await ownTurn();
    const fitting = steps.schemaFor(pending, request);
    const schema = fitting instanceof Promise ? await fitting : fitting;
    const returned = [...triggered, ...reverted, ...listsWithPaths(schema, pending.operations)];
    const { write, defaults } = build(pending, fields, schema, request);
    const { at, object } = write;
    const body: JsonObject = { objectId: pending.objectId, createdAt: at };
    const changed = returnedPaths(pending.operations, returned);
    if (changed.length + defaults.length > 0)
      await addChangedFields(body, pending, [...changed, ...defaults], object, request);
    const replyOf = (fields: JsonObject): SaveReply => ({
      status: 201,
      body: fileUrls.expand({ ...fields, ...pending.returnedFields }, request),
    });
    // An afterSave trigger may remove fields from the response that is sent, which is not stored again.
    const storedBody = triggers.afterSave(className) ? withoutPaths(body, triggered) : body;
    const [result] = await commit(
      [write],
      pending,
      schema,
      request,
      options,
      options.idempotentWrite?.writes(replyOf(storedBody)),
    );
    const afterSave = publishChange(pending, result, request, options);
    const answer = afterSave && (await afterSave);
    if (pending.afterCommit.length > 0) await runAfterCommit(pending);
    if (answer && result?.after) {
      const context = { sent: Object.keys(requested), stored: result.after };
      await applyAfterSave(body, answer, pending, context, request);
    }
    return replyOf((dependencies.afterSaveReplies && answer?.reply) || body);
  }

  function prepareCreate(
    request: RequestContext,
    className: string,
    fields: JsonObject,
  ): PreparedCreate | undefined {
    if (rules.has(className) || triggers.beforeSave(className) || triggers.afterSave(className))
      return undefined;
    const pending = begin(request, className, fields, {});
    steps.stripFileUrls(pending, request);
    assertStorable(pending);
    const schema = schemas.fitting(className, pending.operations);
    if (!schema || !isReplyFixed(pending)) return undefined;
    const { write, defaults } = build(pending, fields, schema, request);
    if (defaults.length > 0) return undefined;
    return { write, reply: { status: 201, body: { objectId: write.id, createdAt: write.at } } };
  }

  function createEach(
    prepared: readonly PreparedCreate[],
    request: RequestContext,
  ): Promise<(SaveReply | Error)[]> {
    // Only what is needed after the commit is kept until then.
    const created = prepared.map(({ reply, write }) => ({
      reply,
      objectId: write.id,
      className: write.schema.className,
    }));
    const writes = prepared.map(({ write }) => write);
    const { storedBytes } = dependencies;
    const executed = storedBytes
      ? storedBytes.limitEach(request, writes, (allowed) => store.createEach(allowed))
      : store.createEach(writes);
    return executed.then((outcomes) =>
      created.map(({ reply, objectId, className }, index) => {
        const after = outcomes[index];
        if (typeof after !== "string") return after ?? new Error("The store has lost a create");
        events.emit("objects.changed", { className, objectId, before: null, after, request });
        return reply;
      }),
    );
  }

  return { create, prepareCreate, createEach };

  /** Checks a create that has been requested, before rules and triggers change it. */
  function begin(
    request: RequestContext,
    className: string,
    fields: JsonObject,
    options: WriteOptions,
  ): PendingWrite {
    const { auth } = request;
    const rule = rules.get(className);
    assertClientAccess(className, "create", auth, rules);
    assertClassName(className);
    trace("authorize", () => authorizeOperation(schemas.get(className), "create", auth));
    const { objectId } = fields;
    // Older clients identify objects by `id`; a client that sends it believes that the object exists already.
    if (fields.id && !options.allowCustomId) {
      throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, "id is an invalid field name.");
    }
    const allowsCustomId = dependencies.allowCustomObjectId || options.allowCustomId === true;
    const id = allowsCustomId
      ? parseCustomId(className, objectId, dependencies.objectIdSize)
      : newObjectId(dependencies.objectIdSize);
    assertTimes(fields, auth);
    const written = allowsCustomId && objectId !== undefined ? withoutObjectId(fields) : fields;
    const operations = parseFields(written, { derivedFields: rule?.derivedFields });
    assertPointsToClientClasses(operations, auth, rules);
    dependencies.assertAllowed?.(fields);
    const pending = createPendingWrite(className, id, operations, undefined, options);
    if (objectId !== undefined && dependencies.allowCustomObjectId && !options.allowCustomId)
      pending.customId = id;
    return pending;
  }

  /** Builds the object and its write. `defaults` are the fields that were set by default values of the class. */
  function build(
    pending: PendingWrite,
    fields: JsonObject,
    schema: ClassSchema,
    request: RequestContext,
  ): { write: CreateWrite; defaults: string[] } {
    const now = new Date(dependencies.clock()).toISOString();
    const times = timesOf(fields, request.auth, now);
    const defaults = applyDefaults(pending, schema, request, {
      configuredAcl: dependencies.defaultAcl,
      access: schemas.access,
    });
    const { objectId: id, secret } = pending;
    const object = applyOperations(
      { objectId: id, ...times },
      pending.operations,
      listsWithPaths(schema, pending.operations),
    );
    const { createdAt: at, updatedAt } = times;
    return { write: { kind: "create", schema, id, at, updatedAt, object, secret }, defaults };
  }
}

/** Whether a create is one write, whose response contains nothing but the id and the time. */
function isReplyFixed({ operations }: PendingWrite): boolean {
  for (const path in operations) {
    const op = operations[path]?.op;
    if ((op !== "Set" && op !== "Delete") || path.includes(".")) return false;
  }
  return true;
}

function withoutObjectId({ objectId: _, ...fields }: JsonObject): JsonObject {
  return fields;
}

/** Returns a response without the fields of these paths. */
function withoutPaths(body: JsonObject, paths: readonly string[]): JsonObject {
  const names = new Set(paths.map((path) => path.split(".", 1)[0]));
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.has(name)));
}
