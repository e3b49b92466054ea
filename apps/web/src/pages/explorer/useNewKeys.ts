import { useRef } from "react";

const NONE: ReadonlySet<string> = new Set();

interface NewKeys {
  text: string;
  seen: ReadonlySet<string> | undefined;
  added: ReadonlySet<string>;
}

/** The keys of a live list that were not in it before; none at first. */
export function useNewKeys(keys: readonly string[] | undefined): ReadonlySet<string> {
  const state = useRef<NewKeys>({ text: "", seen: undefined, added: NONE });
  const text = keys?.join() ?? "";
  if (keys && text !== state.current.text) {
    const { seen } = state.current;
    state.current = {
      text,
      seen: new Set(keys),
      added: seen ? new Set(keys.filter((key) => !seen.has(key))) : NONE,
    };
  }
  return state.current.added;
}
