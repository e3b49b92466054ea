import type { FunctionRequest, FunctionResponse } from "./cloudRequests.ts";
import { encodeResult } from "./encodeValues.ts";
import type { CloudFunction } from "./registry.ts";
import type { InvocationResult } from "./workerMessages.ts";

/** Calls a function: its result is what it returns or, with two parameters, what it passes to the response. */
export async function callFunction(run: CloudFunction, request: FunctionRequest): Promise<InvocationResult> {
  const responseOptions: Pick<InvocationResult, "status" | "headers"> = {};
  const answer = Promise.withResolvers<unknown>();
  const response: FunctionResponse = {
    success: answer.resolve,
    error: (reason) => answer.reject(reason),
    status(code) {
      responseOptions.status = code;
      return response;
    },
    header(name, value) {
      responseOptions.headers = { ...responseOptions.headers, [name]: value };
      return response;
    },
  };
  if (run.length < 2) return { value: encodeResult(await run(request, response)) };
  const returned = Promise.resolve().then(() => run(request, response));
  returned.then((result) => {
    if (result !== undefined) answer.resolve(result);
  }, answer.reject);
  try {
    return { value: encodeResult(await answer.promise), ...responseOptions };
  } catch (error) {
    throw responseOptions.status === undefined ? error : new FunctionResponseError(error, responseOptions);
  }
}

/** An error with a status or headers that the function set. */
export class FunctionResponseError extends Error {
  override readonly name = "AnsweredError";
  readonly responseOptions: Pick<InvocationResult, "status" | "headers">;

  constructor(reason: unknown, responseOptions: Pick<InvocationResult, "status" | "headers">) {
    super("The function returned an error", { cause: reason });
    this.responseOptions = responseOptions;
  }
}
