import { describe, expect, it } from "vitest";
import { Turns } from "./concurrencyLimiter.ts";

/** How many of many attempts of a collection get a turn. */
const taken = (turns: Turns, collections: string[]) =>
  collections.filter((collection) => turns.take(collection) !== undefined).length;
const many = (name: string, count = 100) => Array.from({ length: count }, (_, i) => `${name} ${i}`);
const settle = (turns: Turns, collection: string, hasAnswered: boolean) =>
  turns.take(collection)?.end(hasAnswered);

describe("turns", () => {
  it("are one at a time for a collection of which nothing is known", () => {
    expect(taken(new Turns(), Array(10).fill("a"))).toBe(1);
  });

  it("are several at a time for one that answers", () => {
    const turns = new Turns();
    settle(turns, "a", true);
    expect(taken(turns, Array(10).fill("a"))).toBe(4);
  });

  it("are left for others however many collections do not answer", () => {
    const turns = new Turns();
    const bad = many("bad");
    for (const each of bad) settle(turns, each, false);
    settle(turns, "good", true);
    expect(taken(turns, bad)).toBe(4);
    expect(taken(turns, many("new"))).toBe(8);
    expect(taken(turns, Array(10).fill("good"))).toBe(4);
  });

  it("come back when a fetch has ended, with more patience for those that were slow", () => {
    const turns = new Turns();
    const first = turns.take("a");
    expect(turns.take("a")).toBeUndefined();
    first?.end(false);
    expect(turns.take("a")?.deadlineMs).toBeGreaterThan(first?.deadlineMs ?? Number.POSITIVE_INFINITY);
  });

  it("are left for collections at other hosts, however many new ones name one host", () => {
    const turns = new Turns();
    const atHost = (names: string[], host: string) =>
      names.filter((each) => turns.take(each, host) !== undefined).length;
    expect(atHost(many("new"), "slow.example")).toBe(4);
    expect(atHost(many("other"), "quick.example")).toBe(4);
  });

  it("of collections that were slow or failed are left for others of them at other hosts", () => {
    const turns = new Turns();
    const bad = many("bad");
    for (const each of bad) settle(turns, each, false);
    expect(bad.filter((each) => turns.take(each, "slow.example") !== undefined)).toHaveLength(2);
    expect(bad.filter((each) => turns.take(each, "other.example") !== undefined)).toHaveLength(2);
  });
});
