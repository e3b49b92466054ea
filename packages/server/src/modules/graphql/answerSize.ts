import type { ExecutionResult, GraphQLError } from "graphql";
import { AnswerSize, responseTooLarge } from "../../core/limits/answerSize.ts";
import { answerChunks, jsonLength } from "../../core/limits/answerText.ts";
import { currentScope } from "../../core/limits/requestScope.ts";
import { toClientError } from "./errors.ts";

/** Maximum size of one event of a subscription, in bytes: twice that of a change that live queries send. */
const MAX_EVENT_BYTES = 8 * 1024 * 1024;

/**
 * The text of a result in chunks, or of the error of one that would be too large: every alias and every object of a list
 * repeats its value. The values are charged before they are serialized.
 */
export async function answerOf(result: ExecutionResult, maxBytes: number): Promise<string[]> {
  try {
    return await answerChunks(result, new AnswerSize(maxBytes, currentScope()));
  } catch (error) {
    return [JSON.stringify(failed(error))];
  }
}

/** The event of a subscription, or the error of one that would be too large, and how long its data is. */
export function limitEvent(event: ExecutionResult): { result: ExecutionResult; chars: number } {
  const chars = jsonLength(event.data, MAX_EVENT_BYTES);
  const result = chars <= MAX_EVENT_BYTES ? event : failed(responseTooLarge(MAX_EVENT_BYTES));
  return { result, chars };
}

function failed(error: unknown): { errors: GraphQLError[]; data: null } {
  const unexpected = () => {
    throw error;
  };
  return { errors: [toClientError(error, unexpected)], data: null };
}
