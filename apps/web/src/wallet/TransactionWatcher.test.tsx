import type { TransactionView } from "@purse/react";
import { ToastProvider } from "@purse/ui";
import { act, cleanup, render, screen } from "@testing-library/react";
import { useSyncExternalStore } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TransactionWatcher } from "./TransactionWatcher.tsx";
import { type LoggedStatus, transactionLogOf } from "./transactionLog.ts";

const OWNER = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";

/** What the chain says about transactions, by hash. */
const chain = vi.hoisted(() => ({
  statuses: new Map<string, string>(),
  listeners: new Set<() => void>(),
  requested: new Set<string>(),
}));

vi.mock("@purse/react", () => ({
  useMoralis: () => ({ user: undefined, account: OWNER, chainId: null }),
  useTransaction({ hash }: { hash: string }) {
    chain.requested.add(hash);
    const subscribe = (listener: () => void) => {
      chain.listeners.add(listener);
      return () => chain.listeners.delete(listener);
    };
    const status = useSyncExternalStore(subscribe, () => chain.statuses.get(hash) ?? "submitted");
    return { status, confirmations: status === "confirmed" ? 1 : 0 };
  },
}));
vi.mock("../SettingsContext.tsx", () => ({ useSettings: () => ({ chains: [] }) }));

const log = () => transactionLogOf(OWNER);

/** A tab of the browser, whose storage it shares with the others. */
const openTab = () =>
  render(
    <ToastProvider>
      <TransactionWatcher />
    </ToastProvider>,
  );

/** Sends a transaction, whose hash is its label. */
const send = (label: string) => act(() => log().add({ hash: label, chainId: null }, label));

const observe = (label: string, status: LoggedStatus | TransactionView["status"]) =>
  act(() => {
    chain.statuses.set(label, status);
    for (const listener of chain.listeners) listener();
  });

const toasts = () => screen.queryAllByText(/: (in mempool|confirmed|reverted|replaced|dropped)$/);
const shownToasts = () => toasts().map(({ textContent }) => textContent);

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  chain.statuses.clear();
  chain.requested.clear();
});

it("TransactionWatcher shows a toast for each status of a transaction", async () => {
  openTab();
  send("Send 1 ETH");
  observe("Send 1 ETH", "seen");
  await screen.findByText("Send 1 ETH: in mempool");
  observe("Send 1 ETH", "confirmed");
  await screen.findByText("Send 1 ETH: confirmed");
  send("Send 2 ETH");
  observe("Send 2 ETH", "reverted");
  await screen.findByText("Send 2 ETH: reverted");
  expect(log().find("Send 1 ETH")).toMatchObject({ status: "confirmed", confirmations: 1 });
});

it("TransactionWatcher shows no toast again after a reload", async () => {
  const page = openTab();
  send("Send 1 ETH");
  observe("Send 1 ETH", "confirmed");
  await screen.findByText("Send 1 ETH: confirmed");
  page.unmount();
  openTab();
  // It is still tracked, and confirmed: a toast of it would come before the next one.
  send("Send 2 ETH");
  observe("Send 2 ETH", "confirmed");
  await screen.findByText("Send 2 ETH: confirmed");
  expect(shownToasts()).toEqual(["Send 2 ETH: confirmed"]);
});

it("TransactionWatcher shows a toast in only one of two tabs", async () => {
  openTab();
  openTab();
  for (const label of ["Send 1 ETH", "Send 2 ETH"]) {
    send(label);
    observe(label, "confirmed");
    await screen.findByText(`${label}: confirmed`);
  }
  expect(shownToasts().toSorted()).toEqual(["Send 1 ETH: confirmed", "Send 2 ETH: confirmed"]);
});

it("TransactionWatcher shows the toast of a hidden tab once the tab is visible", async () => {
  const visibility = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  openTab();
  send("Send 1 ETH");
  observe("Send 1 ETH", "confirmed");
  expect(log().find("Send 1 ETH")?.announced).toEqual([]);
  visibility.mockRestore();
  act(() => void document.dispatchEvent(new Event("visibilitychange")));
  await screen.findByText("Send 1 ETH: confirmed");
});

it("TransactionWatcher does not ask the node for what is final or older than a day", () => {
  send("Final");
  act(() => log().observe("Final", "confirmed", 12));
  const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() - 90_000_000);
  send("Old");
  now.mockRestore();
  send("New");
  openTab();
  expect([...chain.requested]).toEqual(["New"]);
});
