import { buildSchema, executeSubscriptionEvent, parse } from "graphql";
import { describe, expect, it } from "vitest";
import { EventQueue } from "./eventQueue.ts";
import { SharedSubscriptions } from "./sharedSubscriptions.ts";

const schema = buildSchema("type Query { a: Int } type Subscription { ticked: Int }");
const document = parse("subscription { ticked }");

/** Subscriptions to events of the test, which counts what is resolved and how many sources are open. */
function create({ failure }: { failure?: Error } = {}) {
  const sources = new Set<EventQueue<unknown>>();
  const counts = { resolved: 0 };
  const subscriptions = new SharedSubscriptions(async (args) => {
    counts.resolved += 1;
    if (failure) throw failure;
    return executeSubscriptionEvent(args);
  });
  const subscribe = async (key: string) => {
    const result = await subscriptions.subscribe(key, {
      schema,
      document,
      subscribeFieldResolver: () => {
        const source = new EventQueue<unknown>(() => sources.delete(source));
        sources.add(source);
        return source;
      },
    });
    if (!("next" in result)) throw new Error("It has not started");
    return result;
  };
  const tick = (ticked: number) => {
    for (const source of sources) source.push({ ticked }, 1);
  };
  return { subscribe, tick, counts, sources };
}

describe("subscriptions of one connection", () => {
  it("resolve an event once if they are identical, and for each key otherwise", async () => {
    const { subscribe, tick, counts } = create();
    const readers = await Promise.all([subscribe("a"), subscribe("a"), subscribe("b")]);
    const next = readers.map((reader) => reader.next());
    tick(1);
    expect((await Promise.all(next)).map(({ value }) => value?.data)).toEqual(
      readers.map(() => ({ ticked: 1 })),
    );
    expect(counts.resolved).toBe(2);
  });

  it("end their source with the last reader, and start again with the next one", async () => {
    const { subscribe, tick, sources } = create();
    const [first, second] = await Promise.all([subscribe("a"), subscribe("a")]);
    await first.return(undefined);
    expect(sources.size).toBe(1);
    await second.return(undefined);
    expect(sources.size).toBe(0);
    const next = (await subscribe("a")).next();
    tick(2);
    expect((await next).value).toEqual({ data: { ticked: 2 } });
  });

  it("end with an error for all readers if an event cannot be resolved", async () => {
    const { subscribe, tick, sources } = create({ failure: new Error("too expensive") });
    const readers = await Promise.all([subscribe("a"), subscribe("a")]);
    const next = readers.map((reader) => reader.next());
    tick(1);
    for (const each of next) await expect(each).rejects.toThrow("too expensive");
    expect(sources.size).toBe(0);
  });
});
