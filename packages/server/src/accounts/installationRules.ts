import { ErrorCode, type JsonValue, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../caller.ts";
import type { Draft } from "../objects/draft.ts";
import type { ClassRules } from "../objects/rules.ts";
import { assertInstallationBounds } from "./installationBounds.ts";
import { SYSTEM_CLASS_FIELDS } from "./systemClasses.ts";

/** Something that has to be given, or may not be changed, as the protocol numbers it. */
const MISSING = 135;
const FIXED = 136;

/** `_Installation`: the devices that an app runs on. Each knows itself; only the operator sees them all. */
export function installationRules(): ClassRules {
  return {
    ...SYSTEM_CLASS_FIELDS._Installation,
    beforeRead(operation, request) {
      if (operation === "find") assertOperator(operation, request);
    },
    beforeCreate(draft) {
      assertInstallationBounds(draft);
      lowerCaseIds(draft);
      if (!setValueOf(draft, "installationId") && !setValueOf(draft, "deviceToken")) {
        throw new ProtocolError(
          MISSING,
          "at least one ID field (deviceToken, installationId) must be specified in this operation",
        );
      }
      if (!setValueOf(draft, "deviceType")) {
        throw new ProtocolError(MISSING, "deviceType must be specified in this operation");
      }
    },
    beforeUpdate(draft) {
      assertInstallationBounds(draft);
      lowerCaseIds(draft);
      for (const field of ["installationId", "deviceType"] as const) {
        const before = draft.original?.[field];
        const operation = draft.operations[field];
        if (!operation || before === undefined) continue;
        if (operation.op === "Set" && operation.value === before) continue;
        throw new ProtocolError(FIXED, `${field} may not be changed in this operation`);
      }
    },
    beforeDelete(_draft, request) {
      assertOperator("delete", request);
    },
  };
}

function assertOperator(operation: string, { caller }: RequestContext): void {
  if (caller.kind === "master") return;
  throw new ProtocolError(
    ErrorCode.OPERATION_FORBIDDEN,
    `Clients aren't allowed to perform the ${operation} operation on the installation collection.`,
  );
}

/** Installation ids are the same whatever their case, hexadecimal device tokens too. */
function lowerCaseIds(draft: Draft): void {
  for (const field of ["installationId", "deviceToken"] as const) {
    const value: JsonValue | undefined = setValueOf(draft, field);
    const isHex = typeof value === "string" && (field === "installationId" || value.length === 64);
    if (isHex) draft.operations[field] = { op: "Set", value: value.toLowerCase() };
  }
}

function setValueOf(draft: Draft, field: string): JsonValue | undefined {
  const operation = draft.operations[field];
  return operation?.op === "Set" ? operation.value : undefined;
}
