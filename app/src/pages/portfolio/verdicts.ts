import { useState } from "react";
import type { Asset } from "../../wallet/holdings.ts";

type Verdict = "spam" | "fine";
export type Verdicts = Readonly<Record<string, Verdict>>;

const KEY = "purse.spam";

export function keyOf({ chain, address }: Pick<Asset, "chain" | "address">): string {
  return `${chain.hexId}/${address ?? "native"}`;
}

export interface Judging {
  verdicts: Verdicts;
  judge: (asset: Asset, verdict: Verdict) => void;
}

/** What this person has said of tokens; it goes before what the page makes of them. Kept in this browser. */
export function useVerdicts(): Judging {
  const [verdicts, setVerdicts] = useState<Verdicts>(read);
  function judge(asset: Asset, verdict: Verdict) {
    const next = { ...verdicts, [keyOf(asset)]: verdict };
    setVerdicts(next);
    try {
      localStorage.setItem(KEY, JSON.stringify(next));
    } catch {
      // Without storage it holds until the page is left.
    }
  }
  return { verdicts, judge };
}

function read(): Verdicts {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    if (typeof kept !== "object" || kept === null) return {};
    const entries = Object.entries(kept).filter((entry): entry is [string, Verdict] =>
      ["spam", "fine"].includes(String(entry[1])),
    );
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
}
