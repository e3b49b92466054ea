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
  const signal = AbortSignal.timeout(LIMIT_MS);
  const limit = new Promise<never>((_, reject) => {
    signal.onabort = () => reject(new Error(`no answer within ${LIMIT_MS} ms`));
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
  }
}
