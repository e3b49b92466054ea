/** What a scenario needs. */
export interface Scenario {
  /** The namespace of the client, untyped: versions differ. */
  Parse: ReturnType<NodeJS.Require>;
  serverUrl: string;
  masterKey: string;
}

/** A call and what it has to answer: `[answer, expected]`. No function: this version has no such call. */
export type Operation = readonly [
  name: string,
  run: (() => Promise<readonly [answer: unknown, expected: unknown]>) | undefined | false,
];

export interface Outcome {
  operation: string;
  result: "passed" | "failed" | "absent";
  /** Why it failed. */
  problem?: string;
}

/** How long one operation may take, in ms. */
const LIMIT_MS = 20_000;

/** Runs the operations one after another. */
export async function runOperations(operations: readonly Operation[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [operation, run] of operations) outcomes.push(await outcomeOf(operation, run));
  return outcomes;
}

async function outcomeOf(operation: string, run: Operation[1]): Promise<Outcome> {
  if (!run) return { operation, result: "absent" };
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${LIMIT_MS} ms`)), LIMIT_MS);
  });
  try {
    const [answer, expected] = await Promise.race([run(), limit]);
    if (answer === expected) return { operation, result: "passed" };
    return {
      operation,
      result: "failed",
      problem: `answered ${String(answer)} instead of ${String(expected)}`,
    };
  } catch (error) {
    const { code, message } = Object(error);
    return {
      operation,
      result: "failed",
      problem: [code, message ?? String(error)].filter(Boolean).join(" "),
    };
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a condition that events from the server bring about. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}
