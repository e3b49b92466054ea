import type { Outcome } from "./messages.ts";
import type { CloudFunction, FunctionRequest, FunctionResponse } from "./registry.ts";
import { encodeResult } from "./wire.ts";

/** What a function answers: by what it returns or, with two parameters, by what it tells the response. */
export async function answerFunction(run: CloudFunction, request: FunctionRequest): Promise<Outcome> {
  const chosen: Pick<Outcome, "status" | "headers"> = {};
  const told = Promise.withResolvers<unknown>();
  const response: FunctionResponse = {
    success: told.resolve,
    error: (reason) => told.reject(reason),
    status(code) {
      chosen.status = code;
      return response;
    },
    header(name, value) {
      chosen.headers = { ...chosen.headers, [name]: value };
      return response;
    },
  };
  if (run.length < 2) return { value: encodeResult(await run(request, response)) };
  const ran = Promise.resolve().then(() => run(request, response));
  ran.then((result) => {
    if (result !== undefined) told.resolve(result);
  }, told.reject);
  try {
    return { value: encodeResult(await told.promise), ...chosen };
  } catch (error) {
    throw chosen.status === undefined ? error : new AnsweredError(error, chosen);
  }
}

/** An error for which the function chose a status or headers. */
export class AnsweredError extends Error {
  override readonly name = "AnsweredError";
  readonly chosen: Pick<Outcome, "status" | "headers">;

  constructor(reason: unknown, chosen: Pick<Outcome, "status" | "headers">) {
    super("The function answered an error", { cause: reason });
    this.chosen = chosen;
  }
}
