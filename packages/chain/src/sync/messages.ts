import type { IndexPlace } from "../store/database.ts";
import type { TokenFacts } from "../store/indexWriter.ts";
import type { ChainConfig, ChainStatus, Log } from "../types.ts";

/** What the thread that follows chains begins with. */
export interface ThreadData {
  chains: { config: ChainConfig; place: IndexPlace }[];
  pollMs: number;
}

export type ToThread =
  | { kind: "stop" }
  | { kind: "watch"; chainId: number; addresses: string[] }
  | { kind: "learn"; chainId: number; tokens: TokenFacts[] };

export type FromThread =
  | { kind: "ready" }
  | { kind: "stopped" }
  | { kind: "status"; status: ChainStatus }
  | { kind: "log"; level: keyof Log; message: string; fields: Record<string, unknown> | undefined };
