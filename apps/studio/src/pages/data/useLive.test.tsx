import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { useLive } from "./useLive.ts";
import { rowsKey } from "./useRowPages.ts";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const ADA = { objectId: "a", name: "Ada" };

/** Follows a class whose loaded page has one row; returns what is shown, and a function that sends an event. */
function follow() {
  const stream = new EventTarget();
  vi.stubGlobal("EventSource", function EventSource() {
    return Object.assign(stream, { close() {} });
  });
  const queryClient = new QueryClient();
  const key = rowsKey("Small", {});
  queryClient.setQueryData(key, { pages: [{ results: [ADA] }], pageParams: [""] });
  const { result } = renderHook(() => useLive("Small", {}, true), {
    wrapper: ({ children }) => <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>,
  });
  return {
    live: () => result.current,
    rows: () => queryClient.getQueryData<{ pages: { results: unknown[] }[] }>(key)?.pages[0]?.results,
    send: (event: string, object?: object) =>
      act(() => stream.dispatchEvent(new MessageEvent(event, { data: JSON.stringify({ event, object }) }))),
  };
}

it("useLive() replaces an updated row and highlights it, and removes one that no longer matches", () => {
  const { live, rows, send } = follow();
  send("update", { ...ADA, name: "Grace" });
  expect(rows()).toEqual([{ ...ADA, name: "Grace" }]);
  expect([...live().flashing]).toEqual(["a"]);
  send("leave", ADA);
  expect(rows()).toEqual([]);
});

it("useLive() counts new rows until they are shown, but not those that are loaded already", () => {
  const { live, rows, send } = follow();
  send("create", ADA);
  expect(live().newRowCount).toBe(0);
  send("create", { objectId: "b" });
  send("enter", { objectId: "c" });
  expect(live().newRowCount).toBe(2);
  expect(rows()).toEqual([ADA]);
  act(() => live().clearNewRows());
  expect(live().newRowCount).toBe(0);
});

it("useLive() offers to load the rows again after its connection was interrupted, as it may have missed changes", () => {
  const { live, send } = follow();
  send("connected");
  expect(live().newRowCount).toBe(0);
  send("connected");
  expect(live().newRowCount).toBe(1);
});
