import { until } from "./until.ts";

/** In all, shorter than the limits of the hooks that start servers, so that a failure shows the server's log. */
const HEALTHY_WITHIN_MS = 100_000;
/** With a local chain, which has to be indexed. */
const INDEXED_WITHIN_MS = 110_000;
/** How long one answer may take, in ms: another program could have taken the port. */
const ANSWER_WITHIN_MS = 5_000;

interface StartOptions {
  devChain?: boolean;
}

/** How long a start may take in all, until the server is healthy. */
export interface StartLimit {
  ms: number;
  /** By performance.now(). */
  deadline: number;
  needsIndex: boolean;
}

/** The limit of a start that begins now. */
export function limitStart({ devChain = false }: StartOptions): StartLimit {
  const ms = devChain ? INDEXED_WITHIN_MS : HEALTHY_WITHIN_MS;
  return { ms, deadline: performance.now() + ms, needsIndex: devChain };
}

/** Rejects with the log of a server that does not start in time. */
export async function startedInTime<T>(
  starting: Promise<T>,
  { ms, deadline }: StartLimit,
  output: () => string,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`The server did not start within ${ms} ms:\n${output()}`)),
    deadline - performance.now(),
  );
  try {
    return await Promise.race([starting, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Waits until the server is healthy, and with a local chain also fully indexed. Rejects at once when `ending` says how
 * its process has ended.
 */
export async function waitUntilHealthy(
  url: string,
  ending: () => string | undefined,
  output: () => string,
  { ms, deadline, needsIndex }: StartLimit,
): Promise<void> {
  const isHealthy = async () => {
    const ended = ending();
    if (ended !== undefined) throw new Error(`The server did not start: ${ended}\n${output()}`);
    const chains = await chainsOf(url).catch(() => undefined);
    return chains !== undefined && (!needsIndex || chains.every(({ state }) => state === "following"));
  };
  await until(isHealthy, {
    withinMs: deadline - performance.now(),
    otherwise: () => `The server was not healthy within ${ms} ms:\n${output()}`,
  });
}

/** Returns the chains of a healthy server. Rejects if it is not healthy. */
async function chainsOf(url: string): Promise<{ state: string }[]> {
  const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  if (!answer.ok) throw new Error(`It answered with ${answer.status}`);
  const { chains }: { chains: { state: string }[] } = await answer.json();
  return chains;
}
