import type { RequestContext } from "../../core/authContext.ts";
import { operationForbidden } from "../../core/operationForbidden.ts";
import { PROGRAM } from "../../core/programName.ts";
import type { ClassRules } from "../../data/objects/classRules.ts";

/** Rules of `_ApiKey`, the API keys of the data API: readable with the master key, changed by `npm run purse -- keys` only. */
export function apiKeyRules(): ClassRules {
  return {
    className: "_ApiKey",
    fields: {
      name: { type: "String" },
      limit: { type: "Number" },
      lastUsedAt: { type: "Date" },
      revokedAt: { type: "Date" },
    },
    beforeRead(operation, { auth }: RequestContext) {
      if (auth.kind === "master") return;
      throw operationForbidden(
        `Clients aren't allowed to perform the ${operation} operation on the _ApiKey collection.`,
      );
    },
    beforeCreate: rejectWrite,
    beforeWrite: rejectWrite,
  };
}

function rejectWrite(): never {
  throw operationForbidden(`API keys are created and revoked by \`${PROGRAM} keys\`.`);
}
