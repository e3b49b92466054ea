import { loadJson, saveJson } from "@purse/ui";
import { useState } from "react";
import type { Asset } from "../../wallet/holdings.ts";

type SpamOverride = "spam" | "fine";
export type SpamOverrides = Readonly<Record<string, SpamOverride>>;

const STORAGE_KEY = "purse.spam";

export function keyOf({ chain, address }: Pick<Asset, "chain" | "address">): string {
  return `${chain.hexId}/${address ?? "native"}`;
}

export interface SpamOverridesState {
  overrides: SpamOverrides;
  setOverride: (asset: Asset, override: SpamOverride) => void;
}

/** The user's spam overrides, which take precedence over the spam check. Stored in this browser. */
export function useSpamOverrides(): SpamOverridesState {
  const [overrides, setOverrides] = useState<SpamOverrides>(readOverrides);
  function setOverride(asset: Asset, override: SpamOverride) {
    const next = { ...overrides, [keyOf(asset)]: override };
    setOverrides(next);
    saveJson(localStorage, STORAGE_KEY, next);
  }
  return { overrides, setOverride };
}

function readOverrides(): SpamOverrides {
  const stored = loadJson(localStorage, STORAGE_KEY);
  if (typeof stored !== "object" || stored === null) return {};
  const entries = Object.entries(stored).filter((entry): entry is [string, SpamOverride] =>
    ["spam", "fine"].includes(String(entry[1])),
  );
  return Object.fromEntries(entries);
}
