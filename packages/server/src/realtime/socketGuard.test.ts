import { EventEmitter } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { EventLoopBudget } from "../core/limits/eventLoopBudget.ts";
import { TokenBucket } from "../core/limits/tokenBucket.ts";
import { UnsentBytes } from "../core/limits/unsentBytes.ts";
import { createLogger } from "../core/logger.ts";
import { SocketGuard } from "./socketGuard.ts";

const logger = createLogger({ level: "silent", format: "text", write: () => undefined });
const now = () => 0;

/** Guards a socket of an address, which may send ten messages. */
function guardWith(addressRateLimiter: TokenBucket) {
  const close = vi.fn();
  const events = new EventEmitter();
  const socket = Object.assign(events, {
    OPEN: 1 as const,
    readyState: 1 as const,
    bufferedAmount: 0,
    send: vi.fn(),
    close,
    terminate: vi.fn(),
  });
  const guard = new SocketGuard({
    socket,
    limits: { maxBufferedBytes: 1_000, messageBurst: 10, messagesPerSecond: 1 },
    addressRateLimiter,
    unsent: new UnsentBytes({ maxBytes: 1_000 }).open(
      { unsentBytes: () => 0, end: () => undefined },
      "address",
    ),
    loopBudget: new EventLoopBudget(),
    now,
    logger,
  });
  return { guard, close, events };
}

describe("SocketGuard", () => {
  it.each(["ping", "pong"])("closes a socket that sends too many messages, each %s included", (event) => {
    const { guard, close, events } = guardWith(new TokenBucket({ burst: 100, perSecond: 1 }, now()));
    for (let i = 0; i < 10; i++) events.emit(event);
    expect(close).not.toHaveBeenCalled();
    expect(guard.admit(1)).toBe(false);
    expect(close).toHaveBeenCalledExactlyOnceWith(1008, "too many messages");
  });

  it("counts the messages of all sockets of an address together, whatever their protocols", () => {
    const address = new TokenBucket({ burst: 15, perSecond: 1 }, now());
    const [first, second] = [guardWith(address), guardWith(address)];
    for (let i = 0; i < 10; i++) expect(first.guard.admit(1)).toBe(true);
    for (let i = 0; i < 5; i++) expect(second.guard.admit(1)).toBe(true);
    expect(second.guard.admit(1)).toBe(false);
    expect(second.close).toHaveBeenCalledWith(1008, "too many messages");
  });
});
