import type { StudioState } from "@purse/server/studio-api";
import { act, cleanup, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { StudioApi } from "../api.ts";
import { StudioContext } from "../StudioContext.tsx";
import { type TabHistoryOptions, useTabHistory } from "./useTabHistory.ts";

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

/** Opens a history for an operator; returns its entries and a function that adds one. */
async function open(operator: string, options: Partial<TabHistoryOptions<string>> = {}) {
  const state: StudioState = {
    state: "signedIn",
    csrf: "c",
    operator: {
      id: operator,
      username: operator,
      role: "editor",
      createdAt: "",
      hasSecondFactor: false,
      isDisabled: false,
    },
  };
  vi.stubGlobal("fetch", async () => Response.json(state));
  const studio = new StudioApi();
  await studio.loadSession();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <StudioContext value={studio}>{children}</StudioContext>
  );
  const { result } = renderHook(
    () => useTabHistory<string>("words", { maxEntries: 2, maxLength: 10, ...options }),
    { wrapper },
  );
  return { entries: () => result.current[0], add: (entry: string) => act(() => result.current[1](entry)) };
}

it("useTabHistory() keeps the newest entries of an operator, also when it is opened again", async () => {
  const { entries, add } = await open("ada");
  for (const word of ["one", "two", "three"]) add(word);
  expect(entries()).toEqual(["three", "two"]);
  expect((await open("ada")).entries()).toEqual(["three", "two"]);
  expect((await open("bob")).entries()).toEqual([]);
});

it("useTabHistory() replaces an entry that is the same, and leaves out one that is too long", async () => {
  const { entries, add } = await open("ada", { isSame: (entry, earlier) => entry === earlier });
  for (const word of ["one", "two", "one", "a word that is too long"]) add(word);
  expect(entries()).toEqual(["one", "two"]);
});

it("useTabHistory() shows an entry that is too long and stores it shortened", async () => {
  const { entries, add } = await open("ada", { shorten: () => "short" });
  add("a word that is too long");
  expect(entries()).toEqual(["a word that is too long"]);
  expect((await open("ada")).entries()).toEqual(["short"]);
});
