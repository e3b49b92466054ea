import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Eip1193Provider } from "./eip1193.ts";
import {
  followTransaction,
  TransactionFailedError,
  waitForConfirmations,
  watchTransaction,
} from "./transaction.ts";

const HASH = `0x${"ab".repeat(32)}`;
const FROM = `0x${"f0".repeat(20)}`;

/** A node whose answers a test changes. */
class Node implements Eip1193Provider {
  down = false;
  head = 10;
  pending = true;
  receipt: { blockNumber: number; status: string } | null = null;
  calls = 0;

  async request({ method }: { method: string }): Promise<unknown> {
    this.calls += 1;
    if (this.down) throw new Error("The node is down");
    switch (method) {
      case "eth_blockNumber":
        return `0x${this.head.toString(16)}`;
      case "eth_getTransactionByHash":
        return this.pending ? { hash: HASH, from: FROM, nonce: "0x3", value: "0x1", input: "0x" } : null;
      case "eth_getTransactionReceipt":
        return this.receipt && { transactionHash: HASH, from: FROM, blockHash: "0xb", ...this.receipt };
      default:
        return "0x3";
    }
  }
}

const follow = (node: Node) => followTransaction({ hash: HASH, chainId: null }, node, { pollMs: 5 });

describe("following a transaction", () => {
  it("reports that the node is unreachable, and continues once it responds again", async () => {
    const node = new Node();
    const followed = follow(node);
    const events: string[] = [];
    const stop = followed.subscribe(({ status }) => events.push(status));
    await expect.poll(() => events).toEqual(["seen"]);
    node.down = true;
    await expect
      .poll(() => followed.state)
      .toMatchObject({ status: "unreachable", last: { status: "seen" } });
    node.down = false;
    node.receipt = { blockNumber: 10, status: "0x1" };
    await expect.poll(() => events).toEqual(["seen", "unreachable", "confirmed"]);
    stop();
  });

  it("polls a node that is down at growing intervals", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const node = new Node();
    node.down = true;
    const stop = follow(node).subscribe(() => undefined);
    await vi.advanceTimersByTimeAsync(200);
    stop();
    expect(node.calls).toBeGreaterThan(2);
    expect(node.calls).toBeLessThan(10);
  });

  it("stops polling when there are no subscribers", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const node = new Node();
    const stop = follow(node).subscribe(() => undefined);
    await vi.advanceTimersByTimeAsync(100);
    const { calls } = node;
    expect(calls).toBeGreaterThan(10);
    stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(node.calls).toBe(calls);
  });

  it("completes the reference with the node's data", async () => {
    const followed = follow(new Node());
    const stop = followed.subscribe(() => undefined);
    await expect.poll(() => followed.reference).toMatchObject({ from: FROM, nonce: 3, call: { value: "1" } });
    stop();
  });

  it("keeps the sender of a smart account, whose transactions are sent by others", async () => {
    const reference = { hash: HASH, chainId: null, from: `0x${"0A".repeat(20)}`, nonce: null, call: null };
    const followed = followTransaction(reference, new Node(), { pollMs: 5 });
    const events: string[] = [];
    const stop = followed.subscribe(({ status }) => events.push(status));
    await expect.poll(() => events).toEqual(["seen"]);
    expect(followed.reference).toEqual(reference);
    stop();
  });

  it("completes the reference of a sender that is written in capitals", async () => {
    const reference = { hash: HASH, chainId: null, from: FROM.toUpperCase().replace("0X", "0x") };
    const followed = followTransaction(reference, new Node(), { pollMs: 5 });
    const stop = followed.subscribe(() => undefined);
    await expect.poll(() => followed.reference).toMatchObject({ nonce: 3, call: { value: "1" } });
    stop();
  });

  it("resolves waitForConfirmations() after the requested confirmations", async () => {
    const node = new Node();
    node.receipt = { blockNumber: 10, status: "0x1" };
    const followed = follow(node);
    const waiting = waitForConfirmations(followed, 3);
    await expect.poll(() => followed.state.status).toBe("confirmed");
    node.head = 12;
    expect(await waiting).toMatchObject({ transactionHash: HASH, blockNumber: 10, succeeded: true });
  });

  it("rejects waitForConfirmations() if the transaction failed or the signal is aborted", async () => {
    const node = new Node();
    node.receipt = { blockNumber: 10, status: "0x0" };
    await expect(waitForConfirmations(follow(node))).rejects.toBeInstanceOf(TransactionFailedError);
    node.receipt = null;
    const controller = new AbortController();
    const waiting = waitForConfirmations(follow(node), 1, controller.signal);
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });

  it("works by the hash alone with watchTransaction()", async () => {
    const node = new Node();
    const events: [string, unknown][] = [];
    const stop = watchTransaction(HASH, node, ({ status }, error) => events.push([status, error]), 5);
    await expect
      .poll(() => events)
      .toEqual([
        ["submitted", undefined],
        ["seen", undefined],
      ]);
    node.down = true;
    await expect.poll(() => events.at(-1)).toEqual(["unknown", new Error("The node is down")]);
    stop();
  });
});
