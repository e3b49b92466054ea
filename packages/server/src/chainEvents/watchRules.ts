import { ErrorCode, type JsonObject, ProtocolError, wireDate } from "@purse/protocol";
import { SYSTEM_CLASS_FIELDS } from "../auth/systemClasses.ts";
import type { Draft } from "../objects/draft.ts";
import type { ClassRules } from "../objects/rules.ts";
import { type ChainSelector, parseWatch } from "./watch.ts";

/** What operators see of watches: `_ChainWatch`, which they write, and `_ChainMessage`, of which they send some again. */
export function watchRules(
  chains: ChainSelector,
  changed: () => Promise<void>,
  clock: () => number,
): ClassRules[] {
  const assertReadable = (draft: Draft): void => {
    parseWatch(storedOptions(fieldsAfter(draft)), chains);
    draft.afterwards.push(changed);
  };
  return [
    {
      ...SYSTEM_CLASS_FIELDS._ChainWatch,
      beforeCreate: assertReadable,
      beforeUpdate: assertReadable,
      beforeDelete: (draft) => void draft.afterwards.push(changed),
    },
    {
      ...SYSTEM_CLASS_FIELDS._ChainMessage,
      beforeCreate: () => {
        throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "Messages are written with their events.");
      },
      /** Sent again, from the first try on. */
      beforeUpdate(draft) {
        const { status, ...others } = draft.operations;
        if (Object.keys(others).length > 0 || status?.op !== "Set" || status.value !== "waiting") {
          throw new ProtocolError(
            ErrorCode.OPERATION_FORBIDDEN,
            'A message is sent again by { "status": "waiting" }; nothing else of it changes.',
          );
        }
        draft.operations.attempts = { op: "Set", value: 0 };
        draft.operations.nextAt = { op: "Set", value: wireDate(new Date(clock())) };
        draft.afterwards.push(changed);
      },
    },
  ];
}

/** What a row of `_ChainWatch` says. */
export function storedOptions({
  objectId: _,
  createdAt: _c,
  updatedAt: _u,
  ACL: _a,
  ...options
}: JsonObject): JsonObject {
  return options;
}

function fieldsAfter({ original, operations }: Draft): JsonObject {
  const fields: JsonObject = { ...original };
  for (const [name, operation] of Object.entries(operations)) {
    if (operation.op === "Set") fields[name] = operation.value;
    else delete fields[name];
  }
  return fields;
}
