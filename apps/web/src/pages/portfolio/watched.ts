import { useSyncExternalStore } from "react";

/** Addresses that this browser watches, lower-case hex, the latest first. */
const KEY = "purse/watched";
const MAX_WATCHED = 50;

const listeners = new Set<() => void>();
let cached: { text: string | null; list: readonly string[] } = { text: null, list: [] };

/** What is stored is untrusted: only addresses are returned, each once. */
export function parseWatched(text: string | null): string[] {
  try {
    const parsed: unknown = JSON.parse(text ?? "[]");
    if (!Array.isArray(parsed)) return [];
    const valid = parsed.filter(
      (each): each is string => typeof each === "string" && /^0x[0-9a-f]{40}$/.test(each),
    );
    return [...new Set(valid)].slice(0, MAX_WATCHED);
  } catch {
    return [];
  }
}

function read(): readonly string[] {
  const text = localStorage.getItem(KEY);
  if (text !== cached.text) cached = { text, list: parseWatched(text) };
  return cached.list;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

/** The watched addresses of this browser, the same in all tabs. */
export function useWatched() {
  const watched = useSyncExternalStore(subscribe, read);
  function store(list: readonly string[]): void {
    localStorage.setItem(KEY, JSON.stringify(list.slice(0, MAX_WATCHED)));
    for (const listener of listeners) listener();
  }
  return {
    watched,
    watch: (address: string) => store([address, ...watched.filter((each) => each !== address)]),
    unwatch: (address: string) => store(watched.filter((each) => each !== address)),
  };
}
