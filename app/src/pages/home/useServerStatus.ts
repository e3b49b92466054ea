import { useCallback, useEffect, useState } from "react";
import { reachability } from "../../query/reachability.ts";
import { withTimeout } from "../../query/withTimeout.ts";

/** A chain as `/health` tells it. */
export interface ChainState {
  chain: number;
  name: string;
  state: "syncing" | "following" | "unreachable" | "refused" | "stopped";
  /** The first block of the index. */
  start: number | null;
  head: number | null;
  /** The newest block that the chain's own rules call safe, and final; null where its node does not tell. */
  safe: number | null;
  finalized: number | null;
  indexed: number | null;
  lag: number | null;
  percent: number | null;
  etaSeconds: number | null;
}

/** The chains are those of the last answer, which came at `at` (ms since 1970); undefined before the first. */
export interface ServerStatus {
  state: "connecting" | "online" | "unreachable";
  chains: ChainState[] | undefined;
  updatedAt: number;
  /** Asks again at once. */
  refetch: () => void;
}

/** How often the server is asked, in ms. */
const POLL_INTERVAL_MS = 4_000;
/** How long an answer may take, in ms. */
const TIMEOUT_MS = 8_000;

const NO_SIGNAL = new AbortController().signal;

async function readHealth({ signal }: { signal: AbortSignal }): Promise<{ chains: ChainState[] }> {
  const response = await fetch("/health", { signal });
  const { chains }: { chains?: ChainState[] } = await response.json();
  if (!chains) throw new Error(`The server answered ${response.status}.`);
  return { chains };
}

/** Whether the server answers, and how far it follows its chains; asked again while the page is in sight. */
export function useServerStatus(): ServerStatus {
  const [status, setStatus] = useState<Omit<ServerStatus, "refetch">>({
    state: "connecting",
    chains: undefined,
    updatedAt: 0,
  });
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round asks at once.
  useEffect(() => {
    let isOver = false;
    let isPolling = false;
    async function poll() {
      if (document.visibilityState === "hidden" || isPolling) return;
      isPolling = true;
      try {
        const { chains } = await withTimeout(readHealth, NO_SIGNAL, TIMEOUT_MS);
        if (isOver) return;
        setStatus({ state: "online", chains, updatedAt: Date.now() });
        reachability.reportSuccess();
      } catch {
        if (isOver) return;
        setStatus((before) => ({ ...before, state: "unreachable" }));
        reachability.reportFailure();
      } finally {
        isPolling = false;
      }
    }
    void poll();
    const timer = setInterval(poll, POLL_INTERVAL_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [round]);
  const refetch = useCallback(() => setRound((before) => before + 1), []);
  return { ...status, refetch };
}
