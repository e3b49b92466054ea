import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { TooManyRequestsError } from "../limits/tooManyRequests.ts";
import { createBodyMemory } from "./bodyMemory.ts";

const MB = 1024 * 1024;
const ANN = "192.0.2.1";
const BOB = "192.0.2.2";

/** The memory, by the addresses of clients. */
function memoryOf(maxBytes: number) {
  const addresses = new Map<IncomingMessage, string>();
  const memory = createBodyMemory(maxBytes, (message) => addresses.get(message) ?? "");
  return {
    open(ip: string) {
      const message = new IncomingMessage(new Socket());
      addresses.set(message, ip);
      return memory.open(message);
    },
  };
}

describe("the memory for request bodies", () => {
  it("grants a sixth to one address, and all of it to all addresses", () => {
    const memory = memoryOf(60 * MB);
    const body = memory.open(ANN);
    body.add(10 * MB);
    expect(() => memory.open(ANN).add(1 * MB)).toThrow(TooManyRequestsError);
    for (const ip of [BOB, "192.0.2.3", "192.0.2.4", "192.0.2.6", "192.0.2.7"]) memory.open(ip).add(10 * MB);
    expect(() => memory.open("192.0.2.5").add(1 * MB)).toThrow(TooManyRequestsError);
    body.close();
    memory.open("192.0.2.5").add(1 * MB);
  });

  it("always admits small bodies, and counts bodies by the received bytes", () => {
    const memory = memoryOf(6 * MB);
    memory.open(ANN).add(1 * MB);
    const small = memory.open(ANN);
    small.add(60 * 1024);
    expect(() => small.add(5 * 1024)).toThrow(TooManyRequestsError);
  });

  it("counts IPv6 addresses by network", () => {
    const memory = memoryOf(6 * MB);
    memory.open("2001:db8::1").add(1 * MB);
    expect(() => memory.open("2001:db8::2").add(1 * MB)).toThrow(TooManyRequestsError);
    memory.open("2001:db8:0:1::1").add(1 * MB);
  });

  it("processes large bodies of one address one after another, independently of other addresses", async () => {
    const memory = memoryOf(400 * MB);
    const begun: string[] = [];
    const open = (name: string, ip: string) => {
      const account = memory.open(ip);
      void account.reserve(20 * MB)?.then(() => begun.push(name));
      return account;
    };
    const first = open("Ann's first", ANN);
    open("Ann's second", ANN);
    open("Bob's", BOB);
    const turns = async () => {
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
    };
    await turns();
    expect(begun).toEqual(["Ann's first", "Bob's"]);
    first.close();
    await turns();
    expect(begun).toEqual(["Ann's first", "Bob's", "Ann's second"]);
  });

  it("queues a body of unknown length when all of it has arrived", async () => {
    const memory = memoryOf(400 * MB);
    const first = memory.open(ANN);
    await first.reserve(20 * MB);
    const second = memory.open(ANN);
    second.add(20 * MB);
    let isBegun = false;
    const begun = second.startProcessing()?.then(() => {
      isBegun = true;
    });
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(isBegun).toBe(false);
    first.close();
    await begun;
    expect(isBegun).toBe(true);
  });
});
