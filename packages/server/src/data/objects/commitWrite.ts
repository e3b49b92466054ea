import type { JsonObject } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import type { EventBus } from "../../core/eventBus.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { type Store, UniqueConstraintError, type Write, type WriteResult } from "../../database/store.ts";
import { type FileUrls, mayContainFiles } from "../fileUrls.ts";
import type { Change } from "./change.ts";
import type { ClassRules } from "./classRules.ts";
import type { NumberDecimals } from "./numberDecimals.ts";
import type { PendingWrite } from "./pendingWrite.ts";
import type { StoredBytes } from "./storedBytes.ts";
import type { AfterSaveResult, Triggers } from "./triggers.ts";
import type { WriteOptions } from "./writeOptions.ts";

export interface CommitDependencies {
  store: Store;
  rules: ReadonlyMap<string, ClassRules>;
  triggers: Triggers;
  fileUrls: FileUrls;
  numberDecimals: NumberDecimals;
  events: EventBus;
  /** Limits what clients store. */
  storedBytes?: StoredBytes;
  /** Called for errors that must not fail a write that is already committed. */
  onError: (error: unknown, activity: string) => void;
}

/** Creates the last steps of every write: it is stored, announced, and followed by its trigger. */
export function createCommit(dependencies: CommitDependencies) {
  const { store, rules, triggers, fileUrls, numberDecimals, events, storedBytes, onError } = dependencies;
  return { commit, publishChange, runAfterCommit };

  /** Commits the write together with its relations and the writes that rules and triggers have added. */
  function commit(
    writes: Write[],
    pending: PendingWrite,
    schema: ClassSchema,
    request: RequestContext,
    { transaction, idempotentWrite }: WriteOptions,
    idempotencyWrites: Write[] = [],
  ): Promise<WriteResult[]> {
    for (const key in pending.operations) {
      const operation = pending.operations[key];
      if (operation?.op !== "Relation") continue;
      const add = operation.add.map((pointer) => pointer.objectId);
      const removed = operation.remove.map((pointer) => pointer.objectId);
      writes.push({ kind: "updateRelation", schema, id: pending.objectId, key, add, remove: removed });
    }
    writes.push(...pending.additionalWrites, ...idempotencyWrites);
    const execute = () => (transaction ? transaction.add(writes) : store.write(writes));
    const committed = storedBytes ? storedBytes.limit(request, schema, writes, execute) : execute();
    const onUniqueConstraint = rules.get(pending.className)?.onUniqueConstraint;
    // Most writes need neither step, and thousands of them may wait for the same commit.
    if (idempotencyWrites.length === 0 && !onUniqueConstraint) return committed;
    return committed.then(
      (results) => {
        if (idempotencyWrites.length > 0) idempotentWrite?.markCommitted();
        return results;
      },
      (error: unknown) => {
        throw (error instanceof UniqueConstraintError && onUniqueConstraint?.(error)) || error;
      },
    );
  }

  /**
   * Notifies listeners and waits for the after trigger, as clients of Parse Server expect. Returns what an afterSave
   * changed of the object. Errors of the trigger are logged.
   */
  function publishChange(
    pending: PendingWrite,
    result: WriteResult | undefined,
    request: RequestContext,
    { skipsTriggers }: Pick<WriteOptions, "skipsTriggers">,
    onTriggerError?: (error: unknown) => void,
  ): Promise<AfterSaveResult | undefined> | undefined {
    if (!result) return undefined;
    const { className, objectId } = pending;
    const { before, after } = result;
    const change: Change = { className, objectId, before, after, request };
    events.emit("objects.changed", change);
    if (skipsTriggers) return undefined;
    const trigger = after === null ? triggers.afterDelete(className) : triggers.afterSave(className);
    return trigger && runAfterTrigger(trigger, change, pending, onTriggerError);
  }

  async function runAfterTrigger(
    trigger: (change: Change) => Promise<AfterSaveResult> | Promise<void>,
    change: Change,
    pending: PendingWrite,
    onTriggerError: ((error: unknown) => void) | undefined,
  ): Promise<AfterSaveResult | undefined> {
    try {
      return (await trigger(withTriggerFields(withWireValues(change), pending))) ?? undefined;
    } catch (error) {
      onError(error, `an after trigger of ${pending.className}`);
      onTriggerError?.(error);
      return undefined;
    }
  }

  /** Formats the values of a change for triggers, and adds file URLs. */
  function withWireValues(change: Change): Change {
    const decimals = numberDecimals(change.className);
    const toWire = (text: string | null) => {
      if (text === null || (!decimals && !mayContainFiles(text))) return text;
      const object: JsonObject = JSON.parse(text);
      return JSON.stringify(fileUrls.expand(decimals ? decimals.object(object) : object, change.request));
    };
    return { ...change, before: toWire(change.before), after: toWire(change.after) };
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
