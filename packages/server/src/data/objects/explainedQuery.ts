import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { parseTextParameters } from "./pipelineParameters.ts";

/**
 * Returns the answer to a request for the plan of a query, with the members in which MongoDB has them: `queryPlanner` with
 * the steps of the database, and `command` with what was requested, also the comment and the hint, which only name the query
 * and do not change how it runs.
 * @param command `find` or `aggregate` with the name of the class, and its condition or stages.
 */
export function explainedQuery(command: JsonObject, plan: JsonValue, params: JsonObject): JsonObject {
  const { comment } = params;
  // In a query string, the fields of an index are JSON.
  const hint = parseTextParameters(params.hint ?? null);
  return {
    command: {
      ...command,
      ...(typeof comment === "string" && { comment }),
      ...((typeof hint === "string" || isJsonObject(hint)) && { hint }),
    },
    queryPlanner: { winningPlan: plan },
  };
}
