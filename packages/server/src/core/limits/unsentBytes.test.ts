import { describe, expect, it } from "vitest";
import { type Receiver, UnsentBytes, type UnsentEntry } from "./unsentBytes.ts";

/** A receiver whose unread bytes the test sets. */
class Reader implements Receiver {
  bytes = 0;
  isEnded = false;
  readonly entry: UnsentEntry;

  constructor(unsent: UnsentBytes, address: string) {
    this.entry = unsent.open(this, address);
  }

  unsentBytes(): number {
    return this.bytes;
  }

  end(): void {
    this.isEnded = true;
    this.entry.close();
  }

  send(bytes: number): void {
    this.bytes += bytes;
    this.entry.update();
  }
}

function setUp(maxBytes = 1_000) {
  const ended: { address: string; receivers: number; bytes: number }[] = [];
  const clock = { ms: 0 };
  const unsent = new UnsentBytes({ maxBytes, clock: () => clock.ms, onEnded: (event) => ended.push(event) });
  return { unsent, ended, clock, reader: (address: string) => new Reader(unsent, address) };
}

describe("bytes that wait to be sent", () => {
  it("end no receiver up to the limits", () => {
    const { unsent, reader } = setUp();
    const readers = ["a", "b"].map(reader);
    for (const each of readers) each.send(500);
    expect(unsent.bytes).toBe(1_000);
    expect(readers.some(({ isEnded }) => isEnded)).toBe(false);
  });

  it("end the receivers of an address with the most unread bytes when it exceeds its half", () => {
    const { unsent, ended, reader } = setUp();
    const other = reader("b");
    const [slow, slower, fast] = [reader("a"), reader("a"), reader("a")];
    other.send(300);
    slow.send(150);
    slower.send(250);
    fast.send(10);
    slow.send(120);
    expect([slow, slower, fast, other].map(({ isEnded }) => isEnded)).toEqual([true, false, false, false]);
    expect(ended).toEqual([{ address: "a", receivers: 1, bytes: 270 }]);
    expect(unsent.bytes).toBe(560);
    expect(unsent.endedReceivers).toBe(1);
  });

  it("end a receiver that has read nothing for long, not a larger one that has just begun or reads", () => {
    const { reader, clock } = setUp();
    const [silent, reading, begun] = [reader("a"), reader("a"), reader("a")];
    silent.send(150);
    reading.send(250);
    clock.ms = 5_000;
    reading.bytes = 170;
    reading.entry.update();
    clock.ms = 5_100;
    begun.send(190);
    expect([silent, reading, begun].map(({ isEnded }) => isEnded)).toEqual([true, false, false]);
  });

  it("end a receiver with many bytes before one that has kept a few for longer", () => {
    const { reader, clock } = setUp();
    const [phone, silent, begun] = [reader("a"), reader("a"), reader("a")];
    phone.send(2);
    clock.ms = 3_000;
    silent.send(300);
    clock.ms = 3_200;
    begun.send(200);
    expect([phone, silent, begun].map(({ isEnded }) => isEnded)).toEqual([false, true, false]);
  });

  it("end receivers of the address with the most unread bytes when all together exceed the limit", () => {
    const { unsent, reader } = setUp();
    const [most, some, few] = [reader("a"), reader("b"), reader("c")];
    most.send(450);
    some.send(350);
    few.send(201);
    expect([most, some, few].map(({ isEnded }) => isEnded)).toEqual([true, false, false]);
    expect(unsent.bytes).toBe(551);
  });

  it("end receivers of several addresses if those of one are not enough", () => {
    const { unsent, reader } = setUp();
    const readers = ["a", "b", "c", "d", "e", "f"].map(reader);
    for (const each of readers) each.send(200);
    expect(readers.filter(({ isEnded }) => isEnded)).toHaveLength(3);
    expect(unsent.bytes).toBe(600);
  });

  it("count what receivers have read in the meantime before any is ended", () => {
    const { unsent, reader } = setUp();
    const [first, second] = [reader("a"), reader("a")];
    first.send(400);
    first.bytes = 0;
    second.send(300);
    expect(unsent.bytes).toBe(300);
    expect(first.isEnded || second.isEnded).toBe(false);
  });

  it("are released when a receiver is closed", () => {
    const { unsent, reader } = setUp();
    const closed = reader("a");
    closed.send(400);
    closed.entry.close();
    closed.entry.close();
    closed.send(100);
    expect(unsent.bytes).toBe(0);
  });

  it("count for the address that a connection has at last", () => {
    const { unsent, reader } = setUp();
    const [moved, other] = [reader("proxy"), reader("proxy")];
    moved.send(400);
    moved.entry.setAddress("client");
    other.send(400);
    expect(moved.isEnded || other.isEnded).toBe(false);
    expect(unsent.bytes).toBe(800);
  });

  it("are found by the connection that they wait on", () => {
    const { unsent } = setUp();
    const connection = {};
    const entry = unsent.open({ unsentBytes: () => 1, end: () => undefined }, "a", connection);
    expect(unsent.entryOf(connection)).toBe(entry);
    entry.close();
  });

  it("are limited although receivers do not report what they are sent", async () => {
    const { reader } = setUp();
    const silent = reader("a");
    silent.bytes = 600;
    await expect.poll(() => silent.isEnded).toBe(true);
  });
});
