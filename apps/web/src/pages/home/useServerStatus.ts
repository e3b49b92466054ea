import { reachability, withTimeout } from "@purse/ui";
import { useCallback, useEffect, useState } from "react";

/** A chain in the response of `/health`. */
export interface ChainState {
  chain: number;
  name: string;
  state: "syncing" | "following" | "stalled" | "unreachable" | "refused" | "stopped";
  /** The first indexed block. */
  start: number | null;
  head: number | null;
  /** The latest safe and finalized blocks; null if the node does not report them. */
  safe: number | null;
  finalized: number | null;
  indexed: number | null;
  lag: number | null;
  percent: number | null;
  etaSeconds: number | null;
}

/** The chains of the last response, received at `updatedAt` (ms since 1970); undefined before the first. */
export interface ServerStatus {
  state: "connecting" | "online" | "unreachable";
  chains: ChainState[] | undefined;
  updatedAt: number;
  /** Polls immediately. */
  refetch: () => void;
}

/** The polling interval, in ms. */
const POLL_INTERVAL_MS = 4_000;
/** The timeout of a poll, in ms. */
const TIMEOUT_MS = 8_000;

const NO_SIGNAL = new AbortController().signal;

async function readHealth({ signal }: { signal: AbortSignal }): Promise<{ chains: ChainState[] }> {
  const response = await fetch("/health", { signal });
  const { chains }: { chains?: ChainState[] } = await response.json();
  if (!chains) throw new Error(`The server responded with ${response.status}.`);
  return { chains };
}

/** Polls the status of the server and its chains while the page is visible. */
export function useServerStatus(): ServerStatus {
  const [status, setStatus] = useState<Omit<ServerStatus, "refetch">>({
    state: "connecting",
    chains: undefined,
    updatedAt: 0,
  });
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round polls immediately.
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
