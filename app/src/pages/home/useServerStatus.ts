import { useEffect, useState } from "react";

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

export type ServerStatus =
  | { state: "waiting" }
  | { state: "there"; chains: ChainState[] }
  | { state: "away" };

/** How often the server is asked, in ms. */
const EVERY_MS = 4_000;

/** Whether the server answers, and how far it follows its chains; asked again while the page is in sight. */
export function useServerStatus(): ServerStatus {
  const [status, setStatus] = useState<ServerStatus>({ state: "waiting" });
  useEffect(() => {
    const ended = new AbortController();
    async function ask() {
      if (document.visibilityState === "hidden") return;
      try {
        const response = await fetch("/health", { signal: ended.signal });
        const { chains }: { chains: ChainState[] } = await response.json();
        setStatus({ state: "there", chains });
      } catch {
        if (!ended.signal.aborted) setStatus({ state: "away" });
      }
    }
    void ask();
    const timer = setInterval(ask, EVERY_MS);
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, []);
  return status;
}
