import { useCallback, useEffect, useRef, useState } from "react";

export interface Asked<T> {
  /** The last answer for these parameters; it stays while they are asked again. */
  data: T | undefined;
  error: unknown;
  isAsking: boolean;
  /** When `data` came, in ms since 1970. */
  at: number | undefined;
  again: () => void;
}

interface Answer<T> {
  key: string;
  data?: T;
  error?: unknown;
  at?: number;
}

/** Asks whenever `key` changes; without a key nothing is asked. A late answer to an older question is not taken. */
export function useAsk<T>(key: string | undefined, ask: () => Promise<T>): Asked<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ key: "" });
  const [asking, setAsking] = useState(false);
  const [round, setRound] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round asks the same again.
  useEffect(() => {
    if (key === undefined) return undefined;
    let isWanted = true;
    setAsking(true);
    latest
      .current()
      .then(
        (data) => isWanted && setAnswer({ key, data, at: Date.now() }),
        (error: unknown) =>
          isWanted && setAnswer((before) => ({ ...(before.key === key ? before : {}), key, error })),
      )
      .finally(() => isWanted && setAsking(false));
    return () => {
      isWanted = false;
    };
  }, [key, round]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  const mine = answer.key === key ? answer : undefined;
  return { data: mine?.data, error: mine?.error, isAsking: asking, at: mine?.at, again };
}
