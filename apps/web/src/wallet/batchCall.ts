import { CoreManager, connection, ParseError } from "@purse/client";

export type BatchResult = { result: unknown } | { error: ParseError };

/** The server accepts at most this many calls per batch. */
const MAX_BATCH_SIZE = 100;

/**
 * Calls a cloud function with several parameters in one batch request. A failed call is a result like any other: it
 * affects neither the others nor, in the browser's log, the request.
 */
export async function batchCall(
  name: string,
  parameters: readonly object[],
  options: { signal?: AbortSignal } = {},
): Promise<BatchResult[]> {
  const mount = new URL(connection().serverUrl, window.location.href).pathname.replace(/\/$/, "");
  const results: BatchResult[] = [];
  for (let start = 0; start < parameters.length; start += MAX_BATCH_SIZE) {
    const requests = parameters
      .slice(start, start + MAX_BATCH_SIZE)
      .map((body) => ({ method: "POST", path: `${mount}/functions/${name}`, body }));
    const rows: unknown = await CoreManager.getRESTController().request(
      "POST",
      "batch",
      { requests },
      options,
    );
    if (!Array.isArray(rows) || rows.length !== requests.length) {
      throw new Error("The server returned an unexpected response.");
    }
    results.push(...rows.map(resultOf));
  }
  return results;
}

/**
 * Calls a cloud function that often finds nothing as a batch of one, because browsers log rejected requests as errors.
 * Throws the ParseError of the function.
 */
export async function callFunction(
  name: string,
  parameters: object,
  options?: { signal?: AbortSignal },
): Promise<unknown> {
  const [result] = await batchCall(name, [parameters], options);
  return resultOrThrow(result);
}

/** The result of a call of a batch. Throws the call's ParseError if it failed. */
export function resultOrThrow(result: BatchResult | undefined): unknown {
  if (result && "result" in result) return result.result;
  throw result?.error ?? new ParseError(ParseError.OTHER_CAUSE, "");
}

function resultOf(row: unknown): BatchResult {
  const { success, error } = Object(row);
  if (success) return { result: Object(success).result };
  const { code, error: message } = Object(error);
  return { error: new ParseError(Number(code), String(message)) };
}
