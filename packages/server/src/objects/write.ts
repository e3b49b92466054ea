import {
  type Acl,
  applyOperations,
  assertClassName,
  ErrorCode,
  isEchoed,
  type JsonObject,
  type Operation,
  ProtocolError,
  parseAcl,
  principalsWith,
} from "@purse/protocol";
import { type Principals, principalsOf, type RequestContext } from "../caller.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import type { Schemas } from "../schema/schemas.ts";
import { ClaimTaken, type Store, type Write, type WriteResult } from "../store/store.ts";
import type { Change, ChangeListener } from "./change.ts";
import type { Draft } from "./draft.ts";
import { parseFields } from "./fields.ts";
import { newObjectId } from "./objectId.ts";
import type { Objects, SaveReply } from "./objects.ts";
import { authorise } from "./permissions.ts";
import type { ClassRules } from "./rules.ts";
import type { Triggers } from "./triggers.ts";

export interface WriteParts {
  store: Store;
  schemas: Schemas;
  rules: ReadonlyMap<string, ClassRules>;
  triggers: Triggers;
  /** Whether callers other than the master key may make classes by saving into them. */
  allowClientClassCreation: boolean;
  /** In ms since the epoch. */
  clock: () => number;
  /** Told of errors that must not fail a write that is stored already. */
  onError: (error: unknown, during: string) => void;
}

/** The writing half of the pipeline. */
export type Writes = Pick<Objects, "create" | "update" | "remove" | "onChange">;

export function createWrites(parts: WriteParts): Writes {
  const { store, schemas, rules, triggers } = parts;
  const listeners = new Set<ChangeListener>();

  async function create(request: RequestContext, className: string, fields: JsonObject): Promise<SaveReply> {
    assertClassName(className);
    authorise(schemas.get(className), "create", request.caller);
    const draft = newDraft(className, newObjectId(), parseFields(fields), undefined);
    const asked = { ...draft.operations };
    await triggers.beforeSave(className)?.(draft, request);
    await rules.get(className)?.beforeCreate?.(draft, request);

    const schema = await schemaFor(draft, request);
    const at = new Date(parts.clock()).toISOString();
    const filled = applyOperations({}, withDefaults(draft.operations, schema));
    const object: JsonObject = { objectId: draft.objectId, createdAt: at, updatedAt: at, ...filled };
    assertRequired(object, schema);
    const { id, secret } = { id: draft.objectId, secret: draft.secret };
    const [result] = await commit([{ kind: "create", schema, id, at, object, secret }], draft, schema);
    publish(draft, result, request);
    await finish(draft);

    const body: JsonObject = { objectId: draft.objectId, createdAt: at };
    for (const [path, operation] of Object.entries(draft.operations)) {
      if (isEchoed(operation) || asked[path] !== operation) echo(body, path, object);
    }
    return { status: 201, body: { ...body, ...draft.reply } };
  }

  async function update(
    request: RequestContext,
    className: string,
    objectId: string,
    fields: JsonObject,
  ): Promise<SaveReply> {
    assertClassName(className);
    const current = schemas.get(className);
    authorise(current, "update", request.caller);
    if (!current) throw notFound();
    const principals = principalsOf(request.caller);
    const beforeSave = triggers.beforeSave(className);
    const beforeUpdate = rules.get(className)?.beforeUpdate;
    const original =
      beforeSave || beforeUpdate ? await readWritable(current, objectId, principals) : undefined;
    const draft = newDraft(className, objectId, parseFields(fields), original);
    const asked = { ...draft.operations };
    await beforeSave?.(draft, request);
    await beforeUpdate?.(draft, request);

    const schema = await schemaFor(draft, request);
    const at = new Date(parts.clock()).toISOString();
    const { operations, secret } = draft;
    const [result] = await commit(
      [{ kind: "update", schema, id: objectId, at, operations, secret, principals }],
      draft,
      schema,
    );
    publish(draft, result, request);
    await finish(draft);

    const body: JsonObject = { updatedAt: at };
    const changed = Object.entries(operations).filter(([path, op]) => isEchoed(op) || asked[path] !== op);
    if (changed.length > 0 && result?.after) {
      const object: JsonObject = JSON.parse(result.after);
      // Who may write but not read gets no values back.
      if (isGranted(object, "read", principals)) for (const [path] of changed) echo(body, path, object);
    }
    return { status: 200, body: { ...body, ...draft.reply } };
  }

  async function remove(request: RequestContext, className: string, objectId: string): Promise<void> {
    assertClassName(className);
    const schema = schemas.get(className);
    authorise(schema, "delete", request.caller);
    if (!schema) throw notFound();
    const principals = principalsOf(request.caller);
    const beforeTrigger = triggers.beforeDelete(className);
    const beforeRule = rules.get(className)?.beforeDelete;
    const original =
      beforeTrigger || beforeRule ? await readWritable(schema, objectId, principals) : undefined;
    const draft = newDraft(className, objectId, {}, original);
    if (original) await beforeTrigger?.(original, request);
    await beforeRule?.(draft, request);
    const [result] = await commit([{ kind: "delete", schema, id: objectId, principals }], draft, schema);
    publish(draft, result, request);
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
    return object;
  }

  function schemaFor(draft: Draft, request: RequestContext): Promise<ClassSchema> {
    return schemas.forWrite(draft.className, draft.operations, (schema) => {
      if (schema) authorise(schema, "addField", request.caller);
      else if (request.caller.kind !== "master" && !parts.allowClientClassCreation) {
        throw new ProtocolError(
          ErrorCode.OPERATION_FORBIDDEN,
          `This user is not allowed to access non-existent class: ${draft.className}`,
        );
      }
    });
  }

  /** Stores the write with its relations and whatever rules and triggers have added, all or nothing. */
  async function commit(writes: Write[], draft: Draft, schema: ClassSchema): Promise<WriteResult[]> {
    for (const [key, operation] of Object.entries(draft.operations)) {
      if (operation.op !== "Relation") continue;
      const add = operation.add.map((pointer) => pointer.objectId);
      const removed = operation.remove.map((pointer) => pointer.objectId);
      writes.push({ kind: "relate", schema, id: draft.objectId, key, add, remove: removed });
    }
    try {
      return await store.write([...writes, ...draft.writes]);
    } catch (error) {
      const taken = error instanceof ClaimTaken && rules.get(draft.className)?.onClaimTaken?.(error);
      throw taken || error;
    }
  }

  function publish(draft: Draft, result: WriteResult | undefined, request: RequestContext): void {
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
    after?.(change).catch((error: unknown) => parts.onError(error, `an after trigger of ${draft.className}`));
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

function notFound(): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
}

function isGranted(object: JsonObject, permission: "read" | "write", principals: Principals): boolean {
  if (principals === null) return true;
  const acl: Acl | undefined = object.ACL === undefined ? undefined : parseAcl(object.ACL);
  const granted = principalsWith(acl, permission);
  return granted === null || granted.some((principal) => principals.includes(principal));
}

function withDefaults(operations: Record<string, Operation>, schema: ClassSchema): Record<string, Operation> {
  const defaults: [string, Operation][] = [];
  for (const [name, field] of Object.entries(schema.fields)) {
    if (field.defaultValue !== undefined && !(name in operations)) {
      defaults.push([name, { op: "Set", value: field.defaultValue }]);
    }
  }
  return defaults.length === 0 ? operations : { ...Object.fromEntries(defaults), ...operations };
}

function assertRequired(object: JsonObject, schema: ClassSchema): void {
  for (const [name, field] of Object.entries(schema.fields)) {
    if (field.required && (object[name] === undefined || object[name] === null)) {
      throw new ProtocolError(ErrorCode.VALIDATION_ERROR, `${name} is required`);
    }
  }
}

/** Tells the client what became of a field: its top-level value, or that it is gone. */
function echo(body: JsonObject, path: string, object: JsonObject): void {
  const [name = ""] = path.split(".", 1);
  const value = object[name];
  body[name] = value === undefined ? { __op: "Delete" } : value;
}
