import type { GraphQLError } from "graphql";
import type { Plugin } from "graphql-yoga";
import { AnswerSize, responseTooLarge } from "../core/limits/answerSize.ts";
import { answerText, jsonLength } from "../core/limits/answerText.ts";
import { currentScope } from "../core/limits/requestScope.ts";
import type { GraphqlContext } from "./context.ts";
import { toClientError } from "./errors.ts";

/** Maximum size of one event of a subscription, in bytes: twice that of a change that live queries send. */
const MAX_EVENT_BYTES = 8 * 1024 * 1024;
/** Larger results are serialized in slices of time. */
const LARGE_CHARS = 64 * 1024;

/**
 * Refuses results that would be too large: every alias and every object of a list repeats its value. They are charged before
 * they are serialized.
 */
export function limitAnswers(maxBytes: number): Plugin<object, GraphqlContext> {
  return {
    async onResultProcess({ result, setResult, serverContext }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result) return;
      if (jsonLength(result, LARGE_CHARS) <= LARGE_CHARS) return;
      try {
        const text = await answerText(result, new AnswerSize(maxBytes, currentScope()));
        serverContext.largeAnswer.text = text;
        // It is sent as it is here: a Response would encode all of it at once.
        setResult({ ...result, stringify: () => "{}" });
      } catch (error) {
        setResult(failed(error));
      }
    },
  };
}

/** The event of a subscription, or the error of one that would be too large. */
export function limitEvent<Result extends object>(result: Result): Result | ReturnType<typeof failed> {
  if (jsonLength(result, MAX_EVENT_BYTES) <= MAX_EVENT_BYTES) return result;
  return failed(responseTooLarge(MAX_EVENT_BYTES));
}

function failed(error: unknown): { data: null; errors: GraphQLError[] } {
  return {
    data: null,
    errors: [
      toClientError(error, () => {
        throw error;
      }),
    ],
  };
}
