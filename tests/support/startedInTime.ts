/** In all, shorter than the limits of the hooks that start servers, so that a failure shows the server's log. */
const HEALTHY_WITHIN_MS = 50_000;
/** With a local chain, which has to be indexed. */
const INDEXED_WITHIN_MS = 90_000;
/** How long one answer may take, in ms: another program could have taken the port. */
const ANSWER_WITHIN_MS = 5_000;
const POLL_MS = 50;

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
  while (performance.now() < deadline) {
    const ended = ending();
    if (ended !== undefined) throw new Error(`The server did not start: ${ended}\n${output()}`);
    const chains = await chainsOf(url).catch(() => undefined);
    if (chains && (!needsIndex || chains.every(({ state }) => state === "following"))) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`The server was not healthy within ${ms} ms:\n${output()}`);
}

/** Returns the chains of a healthy server. Rejects if it is not healthy. */
async function chainsOf(url: string): Promise<{ state: string }[]> {
  const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  if (!answer.ok) throw new Error(`It answered with ${answer.status}`);
  const { chains }: { chains: { state: string }[] } = await answer.json();
  return chains;
}
