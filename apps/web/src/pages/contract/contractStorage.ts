import { loadList, saveJson } from "@purse/ui";

/** A recent call; ABIs and calls are stored in this browser. */
export interface RecentCall {
  fn: string;
  args: string;
  value: string;
  /** ms since 1970. */
  at: number;
}

const MAX_CALLS = 12;

export function contractKey(chain: string, address: string): string {
  return `${chain.toLowerCase()}/${address.toLowerCase()}`;
}

export function storedAbi(key: string): string | undefined {
  return localStorage.getItem(`purse.abi/${key}`) ?? undefined;
}

export function storeAbi(key: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(`purse.abi/${key}`);
    else localStorage.setItem(`purse.abi/${key}`, text);
  } catch {
    // The storage is full; nothing depends on it.
  }
}

export function recentCalls(key: string): RecentCall[] {
  return loadList(localStorage, `purse.calls/${key}`).filter(isCall);
}

export function storeCall(key: string, call: RecentCall): void {
  const others = recentCalls(key).filter(
    (each) => each.fn !== call.fn || each.args !== call.args || each.value !== call.value,
  );
  saveJson(localStorage, `purse.calls/${key}`, [call, ...others].slice(0, MAX_CALLS));
}

function isCall(row: unknown): row is RecentCall {
  const { fn, args, value, at } = Object(row);
  return [fn, args, value].every((each) => typeof each === "string") && typeof at === "number";
}
