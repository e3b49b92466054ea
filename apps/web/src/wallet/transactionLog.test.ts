import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Locks, type LoggedStatus, TransactionLog } from "./transactionLog.ts";

const HASH = "0xaa";
const OWNER = "0xAda";

/** What all tabs of a browser share. */
class SharedStorage implements Storage {
  readonly #items = new Map<string, string>();
  get length() {
    return this.#items.size;
  }
  clear = () => this.#items.clear();
  getItem = (key: string) => this.#items.get(key) ?? null;
  key = (index: number) => [...this.#items.keys()][index] ?? null;
  removeItem = (key: string) => void this.#items.delete(key);
  setItem = (key: string, value: string) => void this.#items.set(key, value);
}

let storage: SharedStorage;

/** A page: after a reload and in another tab it begins with nothing but the storage. */
const openPage = (locks?: Locks) => new TransactionLog(storage, OWNER, locks);

/** The statuses that a page announces as it sees them. */
async function notifiedStatuses(log: TransactionLog, statuses: readonly LoggedStatus[]): Promise<string[]> {
  const notified: string[] = [];
  for (const status of statuses) {
    log.observe(HASH, status, status === "confirmed" ? 1 : 0);
    if (await log.reserveNotification(HASH, status)) notified.push(status);
  }
  return notified;
}

beforeEach(() => {
  storage = new SharedStorage();
  openPage().add({ hash: HASH, chainId: "0x1" }, "Send 1 ETH");
});

afterEach(() => void vi.useRealTimers());

describe("the notifications of a transaction", () => {
  it("are shown once for each status", async () => {
    expect(
      await notifiedStatuses(openPage(), ["submitted", "seen", "seen", "confirmed", "confirmed"]),
    ).toEqual(["submitted", "seen", "confirmed"]);
  });

  it("are not repeated after a reload, which starts with an unpolled transaction", async () => {
    await notifiedStatuses(openPage(), ["seen", "confirmed"]);
    expect(await notifiedStatuses(openPage(), ["submitted", "seen", "confirmed"])).toEqual(["submitted"]);
    expect(await notifiedStatuses(openPage(), ["submitted", "confirmed"])).toEqual([]);
  });

  it("are not repeated if a reorganization moves the transaction to another block", async () => {
    expect(
      await notifiedStatuses(openPage(), ["confirmed", "seen", "confirmed", "dropped", "confirmed"]),
    ).toEqual(["confirmed", "seen", "dropped"]);
  });

  it("are shown by only one of several tabs, also if storage writes are delayed", async () => {
    const spreadsLate = new SharedStorage();
    spreadsLate.setItem("purse.transactions.0xada", storage.getItem("purse.transactions.0xada") ?? "");
    const other = new TransactionLog(spreadsLate, OWNER, navigator.locks);
    const reserved = await Promise.all([
      openPage(navigator.locks).reserveNotification(HASH, "confirmed"),
      openPage(navigator.locks).reserveNotification(HASH, "confirmed"),
      other.reserveNotification(HASH, "confirmed"),
    ]);
    expect(reserved.filter(Boolean)).toHaveLength(1);
  });

  it("are shown by only one of several tabs, also if storage writes arrive much later", async () => {
    vi.useFakeTimers();
    const spreadsLate = new SharedStorage();
    spreadsLate.setItem("purse.transactions.0xada", storage.getItem("purse.transactions.0xada") ?? "");
    const other = new TransactionLog(spreadsLate, OWNER, navigator.locks);
    expect(await openPage(navigator.locks).reserveNotification(HASH, "reverted")).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await other.reserveNotification(HASH, "reverted")).toBe(false);
  });

  it("are not shown for the stored status of an earlier version", async () => {
    const { announced: _, ...row } = { ...openPage().get()[0], status: "confirmed", confirmations: 3 };
    storage.setItem("purse.transactions.0xada", JSON.stringify([row]));
    expect(await notifiedStatuses(openPage(), ["seen", "confirmed"])).toEqual([]);
  });

  it("are not shown for transactions that are not in the log", async () => {
    expect(await openPage().reserveNotification("0xbb", "confirmed")).toBe(false);
  });
});

describe("the status of a transaction", () => {
  it("is kept after a reload until the chain reports another", () => {
    openPage().observe(HASH, "confirmed", 2);
    const page = openPage();
    page.observe(HASH, "submitted", 0);
    expect(page.find(HASH)).toMatchObject({ status: "confirmed", confirmations: 2 });
    page.observe(HASH, "seen", 0);
    expect(page.find(HASH)).toMatchObject({ status: "seen", confirmations: 0 });
  });

  it("is read from storage with validation", () => {
    const key = "purse.transactions.0xada";
    for (const text of ["", "{", "null", "{}", "[1, null, {}]", '[{"reference":{"hash":"0xcc"}}]']) {
      storage.setItem(key, text);
      expect(openPage().get()).toEqual([]);
    }
  });
});

describe("calls that were sent together", () => {
  beforeEach(() =>
    openPage().add({ hash: "calls-1", chainId: "0x1" }, "Approve and swap", { isCalls: true }),
  );

  it("stay in the log after a reload, until their transaction replaces them", () => {
    expect(openPage().find("calls-1")).toMatchObject({ isCalls: true, label: "Approve and swap" });
    expect(openPage().settleCalls("calls-1", "0xbb")).toBe(true);
    expect(openPage().find("calls-1")).toBeUndefined();
    expect(openPage().find("0xbb")).toMatchObject({
      reference: { hash: "0xbb", chainId: "0x1" },
      label: "Approve and swap",
      status: "submitted",
    });
    expect(openPage().find("0xbb")).not.toHaveProperty("isCalls");
  });

  it("are replaced once, and keep what is known of a transaction that is in the log already", () => {
    openPage().observe(HASH, "confirmed", 2);
    expect(openPage().settleCalls("calls-1", HASH)).toBe(true);
    expect(openPage().settleCalls("calls-1", HASH)).toBe(false);
    expect(openPage().get()).toMatchObject([{ reference: { hash: HASH }, status: "confirmed" }]);
  });

  it("become a transaction if the wallet's ID is its hash", () => {
    openPage().settleCalls("calls-1", "calls-1");
    expect(openPage().find("calls-1")).not.toHaveProperty("isCalls");
  });

  it("are removed without a transaction", () => {
    openPage().settleCalls("calls-1");
    expect(openPage().get()).toMatchObject([{ reference: { hash: HASH } }]);
  });
});
