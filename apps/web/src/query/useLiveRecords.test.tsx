import { ParseObject, Query } from "@purse/client";
import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PAGE_SIZE, useLiveRecords } from "./useLiveRecords.ts";
import { queryClient } from "./useServerQuery.ts";

interface Handlers {
  onDelete(record: ParseObject): void;
  onOpen(): void;
}

const live = vi.hoisted(() => ({ handlers: undefined as unknown, opened: 0 }));
vi.mock("@purse/react", () => ({
  useMoralis: () => ({ user: null }),
  useMoralisSubscription: (_: string, __: unknown, ___: unknown, handlers: unknown) => {
    live.handlers = handlers;
  },
}));

const handlers = () => Object(live.handlers) as Handlers;

/** How many records the server has. */
let stored = 0;

beforeEach(() => {
  queryClient.clear();
  vi.spyOn(Query.prototype, "find").mockImplementation(async function (this: Query) {
    const count = Math.min(stored, Number(this.toJSON().limit));
    return Array.from({ length: count }, (_, i) =>
      ParseObject.fromJSON({ className: "Note", objectId: `note${i}` }, true),
    );
  });
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

async function open() {
  const { result } = renderHook(() => useLiveRecords("Note", (query) => query, []));
  await expect.poll(() => result.current.data).toBeDefined();
  return result;
}

it("useLiveRecords() knows that there are no more records than it has read", async () => {
  stored = PAGE_SIZE - 1;
  const result = await open();
  expect(result.current.hasMore).toBe(false);
});

it("useLiveRecords() reads more records on demand, and keeps those that are shown meanwhile", async () => {
  stored = 3 * PAGE_SIZE;
  const result = await open();
  expect(result.current).toMatchObject({ hasMore: true, data: { length: PAGE_SIZE } });
  act(() => result.current.showMore());
  expect(result.current.data).toHaveLength(PAGE_SIZE);
  await expect.poll(() => result.current.data?.length).toBe(2 * PAGE_SIZE);
  act(() => result.current.showMore());
  await expect.poll(() => result.current.data?.length).toBe(3 * PAGE_SIZE);
  expect(result.current.hasMore).toBe(false);
});

it("useLiveRecords() still knows that there are more records after one was deleted", async () => {
  stored = 3 * PAGE_SIZE;
  const result = await open();
  const [first] = result.current.data ?? [];
  if (!first) throw new Error("no record");
  act(() => handlers().onDelete(first));
  await expect.poll(() => result.current.data?.length).toBe(PAGE_SIZE - 1);
  expect(result.current.hasMore).toBe(true);
});

it("useLiveRecords() stays live while it reads more records", async () => {
  stored = 3 * PAGE_SIZE;
  const result = await open();
  act(() => handlers().onOpen());
  expect(result.current.live).toBe("live");
  act(() => result.current.showMore());
  await expect.poll(() => result.current.data?.length).toBe(2 * PAGE_SIZE);
  expect(result.current.live).toBe("live");
});
