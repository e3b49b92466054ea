import { ErrorCode, type JsonObject, type ListChange, ProtocolError, valuesIn } from "@purse/protocol";
import { bypassesPermissions, type RequestContext } from "../../core/authContext.ts";
import { operationForbidden } from "../../core/operationForbidden.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { authorizeOperation, mayAddFields } from "../permissions/classPermissions.ts";
import { evaluatePointers } from "../permissions/pointerPermissions.ts";
import type { GrowthLimits, Schemas } from "../schema/schemas.ts";
import type { CommitDependencies } from "./commitWrite.ts";
import type { AssertAllowed } from "./keywordDenylist.ts";
import { checkTriggerFields } from "./parseFields.ts";
import type { PendingWrite } from "./pendingWrite.ts";
import type { ReadAccess } from "./readAccess.ts";
import type { Serializer } from "./serializer.ts";
import type { BeforeSave } from "./triggers.ts";

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
  /** Number of characters of the ids of new objects; 10 if undefined. */
  objectIdSize?: number;
  /** Throws 105 if what is written contains a denied keyword. */
  assertAllowed?: AssertAllowed;
  /** Whether responses of writes have values of objects that the client may not read. */
  returnsUnreadable?: boolean;
  /** Whether an object that an afterSave trigger returns replaces the response. */
  afterSaveReplies?: boolean;
  /** Default ACL of new objects; `currentUser` in it stands for the user who creates them. */
  defaultAcl: JsonObject | undefined;
  /** Returns the time in ms since the epoch. */
  clock: () => number;
}

/** Creates the steps that creates and updates have in common. */
export function createWriteSteps(dependencies: WriteDependencies) {
  const { schemas, rules, fileUrls } = dependencies;
  return { runBeforeSave, stripFileUrls, schemaFor };

  /** Returns the paths that the trigger reverted. */
  async function runBeforeSave(
    beforeSave: BeforeSave,
    pending: PendingWrite,
    request: RequestContext,
  ): Promise<string[]> {
    const before = { ...pending.operations };
    await runWithDecimals(beforeSave, pending, request);
    checkTriggerFields(before, pending.operations, rules.get(pending.className)?.derivedFields);
    for (const [path, operation] of Object.entries(pending.operations)) {
      if (operation === before[path]) continue;
      dependencies.assertAllowed?.({ [path]: [...valuesIn(operation)] });
    }
    return Object.keys(before).filter((path) => !Object.hasOwn(pending.operations, path));
  }

  /** Shows the trigger the formatted values; what it leaves unchanged is stored as it was. */
  async function runWithDecimals(
    beforeSave: BeforeSave,
    pending: PendingWrite,
    request: RequestContext,
  ): Promise<void> {
    const { className, operations, original } = pending;
    const decimals = dependencies.numberDecimals(className);
    if (!decimals) return beforeSave(pending, request);
    const shown = decimals.operations(operations, original ?? {});
    const changed = { ...shown };
    const shownOriginal = original && decimals.object(original);
    await beforeSave({ ...pending, operations: changed, original: shownOriginal }, request);
    for (const path of Object.keys(operations)) if (!Object.hasOwn(changed, path)) delete operations[path];
    for (const [path, operation] of Object.entries(changed))
      if (operation !== shown[path]) operations[path] = operation;
  }

  /** Removes file URLs of this server from a write, since they are generated when objects are read. */
  function stripFileUrls({ operations }: PendingWrite, request: RequestContext): void {
    for (const path in operations) {
      const operation = operations[path];
      if (!operation) continue;
      if (operation.op === "Set") {
        const value = fileUrls.strip(operation.value, request);
        if (value !== operation.value) operations[path] = { op: "Set", value };
      } else if (operation.op === "Batch") {
        operations[path] = { op: "Batch", changes: operation.changes.map((change) => stripped(change)) };
      } else if (operation.op === "Add" || operation.op === "AddUnique" || operation.op === "Remove") {
        operations[path] = stripped(operation);
      }
    }
    function stripped({ op, objects }: ListChange): ListChange {
      return { op, objects: objects.map((object) => fileUrls.strip(object, request)) };
    }
  }

  function schemaFor(pending: PendingWrite, request: RequestContext): ClassSchema | Promise<ClassSchema> {
    return schemas.ensureForWrite(pending.className, pending.operations, (schema) => {
      if (schema) {
        authorizeOperation(schema, "addField", request.auth);
        if (!mayAddFields(schema, request.auth, dependencies.allowClientAddField))
          throw addFieldDeniedError(pending.className);
        // A client that may only add fields to objects that point to it cannot add any to a new object.
        if (!evaluatePointers(schema, "addField", request.auth, pending.original ?? {}))
          throw pending.original ? notFound() : addFieldDeniedError(pending.className);
      } else if (!bypassesPermissions(request.auth) && !dependencies.allowClientClassCreation) {
        throw operationForbidden(
          `This user is not allowed to access non-existent class: ${pending.className}`,
        );
      }
      return bypassesPermissions(request.auth) ? undefined : dependencies.growthLimits;
    });
  }
}

function addFieldDeniedError(className: string): ProtocolError {
  return operationForbidden(`Permission denied for action addField on class ${className}.`);
}

export function notFound(): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
}
