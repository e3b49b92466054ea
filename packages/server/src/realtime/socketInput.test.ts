import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { limitInput } from "./socketInput.ts";

const OPEN = 1;
const CLOSING = 2;

/** A connection and its socket, with what the socket has received. */
function setUp() {
  const connection = new PassThrough();
  const socket = { readyState: OPEN, OPEN };
  const parts: number[] = [];
  let onPart = () => {};
  connection.on("data", (part: Buffer) => {
    parts.push(part.length);
    onPart();
  });
  limitInput(socket, connection, "address");
  return {
    connection,
    socket,
    parts,
    received: () => parts.reduce((sum, length) => sum + length, 0),
    whenReceiving(action: () => void) {
      onPart = action;
    },
  };
}

/** Holds up the event loop for longer than one turn may take. */
function work(): void {
  const end = performance.now() + 15;
  while (performance.now() < end);
}

describe("the input of a socket", () => {
  it("arrives in order and completely, in small parts", async () => {
    const { connection, parts, received } = setUp();
    for (let i = 0; i < 10; i++) connection.write(Buffer.alloc(50_000));
    await expect.poll(received).toBe(500_000);
    expect(Math.max(...parts)).toBeLessThanOrEqual(16_384);
  });

  it("lets others have a turn between parts that take long", async () => {
    const { connection, parts, received, whenReceiving } = setUp();
    const turns: number[] = [];
    whenReceiving(() => {
      work();
      setImmediate(() => turns.push(parts.length));
    });
    connection.write(Buffer.alloc(64 * 1024));
    await expect.poll(received).toBe(64 * 1024);
    await expect.poll(() => turns.length).toBe(4);
    // Each part was alone in its turn, or at most with the next one.
    expect(turns[0]).toBeLessThanOrEqual(2);
    expect(turns[1]).toBeLessThanOrEqual(3);
  });

  it("is not passed on once the socket is being closed, not even the rest of what has arrived; then it ends", async () => {
    const { connection, socket, received, whenReceiving } = setUp();
    whenReceiving(() => {
      socket.readyState = CLOSING;
    });
    connection.write(Buffer.alloc(64 * 1024));
    await expect.poll(received).toBe(16 * 1024);
    await expect.poll(() => connection.writableEnded).toBe(true);
    expect(received()).toBe(16 * 1024);
  });
});
