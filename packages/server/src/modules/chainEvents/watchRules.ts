import { type JsonObject, wireDate } from "@purse/protocol";
import { operationForbidden } from "../../core/operationForbidden.ts";
import type { ClassRules } from "../../data/objects/classRules.ts";
import type { PendingWrite } from "../../data/objects/pendingWrite.ts";
import { CHAIN_EVENT_CLASSES } from "./chainEventClasses.ts";
import { type ChainResolver, parseWatch } from "./watch.ts";

/**
 * Rules of the system classes `_ChainWatch`, which operators write, and `_ChainMessage`, whose messages they may
 * requeue.
 */
export function watchRules(
  chains: ChainResolver,
  onChanged: () => Promise<void>,
  clock: () => number,
): ClassRules[] {
  const validateWatch = (pendingWrite: PendingWrite): void => {
    parseWatch(watchOptionsOf(resultingFields(pendingWrite)), chains);
    pendingWrite.afterCommit.push(onChanged);
  };
  return [
    {
      ...CHAIN_EVENT_CLASSES._ChainWatch,
      beforeCreate: validateWatch,
      beforeUpdate: validateWatch,
      beforeDelete: (pendingWrite) => void pendingWrite.afterCommit.push(onChanged),
    },
    {
      ...CHAIN_EVENT_CLASSES._ChainMessage,
      beforeCreate: () => {
        throw operationForbidden("Messages are created with their events.");
      },
      /** Requeues a message and resets its attempts. */
      beforeUpdate(pendingWrite) {
        const { status, ...others } = pendingWrite.operations;
        if (Object.keys(others).length > 0 || status?.op !== "Set" || status.value !== "waiting") {
          throw operationForbidden('A message can only be requeued by { "status": "waiting" }.');
        }
        pendingWrite.operations.attempts = { op: "Set", value: 0 };
        pendingWrite.operations.nextAt = { op: "Set", value: wireDate(new Date(clock())) };
        pendingWrite.afterCommit.push(onChanged);
      },
    },
  ];
}

/** Returns the options of a `_ChainWatch` object. */
export function watchOptionsOf({
  objectId: _,
  createdAt: _c,
  updatedAt: _u,
  ACL: _a,
  ...options
}: JsonObject): JsonObject {
  return options;
}

function resultingFields({ original, operations }: PendingWrite): JsonObject {
  const fields: JsonObject = { ...original };
  for (const [name, operation] of Object.entries(operations)) {
    if (operation.op === "Set") fields[name] = operation.value;
    else delete fields[name];
  }
  return fields;
}
