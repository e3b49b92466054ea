import { ErrorCode, ProtocolError } from "@purse/protocol";
import { SYSTEM_CLASS_FIELDS } from "../accounts/systemClasses.ts";
import type { RequestContext } from "../caller.ts";
import type { ClassRules } from "../objects/rules.ts";

/** `_ApiKey`: who may use the data service. The operator sees the records; only `npm run purse -- keys` changes them. */
export function apiKeyRules(): ClassRules {
  return {
    ...SYSTEM_CLASS_FIELDS._ApiKey,
    beforeRead(operation, { caller }: RequestContext) {
      if (caller.kind === "master") return;
      throw new ProtocolError(
        ErrorCode.OPERATION_FORBIDDEN,
        `Clients aren't allowed to perform the ${operation} operation on the _ApiKey collection.`,
      );
    },
    beforeCreate: refuse,
    beforeWrite: refuse,
  };
}

function refuse(): never {
  throw new ProtocolError(
    ErrorCode.OPERATION_FORBIDDEN,
    "API keys are made and revoked by `npm run purse -- keys`.",
  );
}
