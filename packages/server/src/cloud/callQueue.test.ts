import { describe, expect, it } from "vitest";
import { CallQueue, type Thread } from "./callQueue.ts";
import { CloudBreaker } from "./cloudBreaker.ts";
import type { CloudCall } from "./cloudCall.ts";
import { definitionOf } from "./definitionOf.ts";
import type { Invocation } from "./workerMessages.ts";

const callContext = {
  user: undefined,
  roles: [],
  master: false,
  isReadOnly: false,
  installationId: undefined,
  context: {},
  ip: "",
  headers: {},
  requestId: "",
  client: undefined,
};

function callOf(name: string, client: string, invocation: Invocation) {
  const rejections: Error[] = [];
  const call: CloudCall = {
    name,
    client,
    invocation,
    definition: definitionOf(invocation),
    depth: 1,
    traceHeaders: {},
    resolve: () => undefined,
    refuse: (error) => rejections.push(error),
  };
  return { ...call, rejections };
}

const functionCall = (name: string, client = "ann") =>
  callOf(name, client, { kind: "function", name, params: {}, callContext });
const triggerCall = (className: string, client = "ann") =>
  callOf(className, client, { kind: "beforeFind", className, params: {}, isGet: false, callContext });

/** A thread with capacity for some calls, and the names of those that it was given. */
function threadWith(capacity: number, more: Partial<Thread["worker"]> = {}, isReserve = false) {
  const given: string[] = [];
  const worker = {
    get hasCapacity() {
      return given.length < capacity;
    },
    stalledBy: undefined,
    defines: () => true,
    withdraw: () => false,
    offer: ({ name }: CloudCall) => given.push(name) > 0,
    ...more,
  };
  return { worker, isReserve, given };
}

/** A thread that a call blocks. */
const stalledThread = (stalledBy: string) => threadWith(0, { stalledBy });

function queueOf(calls: CloudCall[], maxWaiting = 100) {
  const queue = new CallQueue({ breaker: new CloudBreaker(), maxWaiting });
  for (const call of calls) queue.add(call);
  return queue;
}

describe("CallQueue", () => {
  it("serves clients in turn, and triggers in turn with functions", () => {
    const many = Array.from({ length: 9 }, () => functionCall("f", "eve"));
    const queue = queueOf([...many, functionCall("g", "ann"), triggerCall("T", "bob")]);
    const thread = threadWith(4);
    queue.dispatch([thread]);
    expect(thread.given).toEqual(["T", "f", "g", "f"]);
  });

  it("gives a further thread only what the first one has no capacity for", () => {
    const queue = queueOf(["a", "b", "c"].map((name) => functionCall(name)));
    const [first, second] = [threadWith(2), threadWith(2)];
    queue.dispatch([first, second]);
    expect([first.given, second.given]).toEqual([["a", "b"], ["c"]]);
  });

  it("bounds the calls that wait, those of one client to a quarter", () => {
    const queue = queueOf([functionCall("a", "eve"), functionCall("b", "eve")], 8);
    expect(() => queue.add(functionCall("c", "eve"))).toThrow(
      expect.objectContaining({ code: 155, status: 429 }),
    );
    queue.add(functionCall("d", "ann"));
    expect(queue.size).toBe(3);
  });

  it("keeps the last free thread from what stalls another one, and gives it to others", () => {
    const queue = queueOf([functionCall("spin"), functionCall("hello")]);
    const free = threadWith(5);
    queue.dispatch([stalledThread("spin"), free]);
    expect(free.given).toEqual(["hello"]);
    expect(queue.size).toBe(1);
    const threads = [stalledThread("spin"), threadWith(5), threadWith(5)];
    queue.dispatch(threads);
    expect(threads[1]?.given).toEqual(["spin"]);
  });

  it("keeps a reserved thread for triggers", () => {
    const queue = queueOf([functionCall("f"), triggerCall("T")]);
    const reserve = threadWith(5, {}, true);
    queue.dispatch([stalledThread("other"), reserve]);
    expect(reserve.given).toEqual(["T"]);
  });

  it("needs a further thread if a call waits for those that something else stalls", () => {
    const threads = [stalledThread("spin")];
    const only = queueOf([functionCall("spin")]);
    expect(only.needsThread(threads, "functions")).toBe(false);
    only.add(functionCall("hello"));
    expect(only.needsThread(threads, "functions")).toBe(true);
    expect(only.needsThread(threads, "triggers")).toBe(false);
    expect(only.needsThread([...threads, threadWith(1)], "functions")).toBe(false);
  });

  it("gives calls to a thread whose code has defined what they execute", () => {
    const queue = queueOf([functionCall("late")]);
    const [first, second] = [threadWith(5, { defines: () => false }), threadWith(5)];
    queue.dispatch([first, second]);
    expect([first.given, second.given]).toEqual([[], ["late"]]);
  });

  it("refuses waiting calls of what the breaker refuses meanwhile", () => {
    const breaker = new CloudBreaker();
    const queue = new CallQueue({ breaker });
    const call = functionCall("spin", "eve");
    queue.add(call);
    breaker.strike("spin", "eve");
    breaker.strike("spin", "eve");
    const thread = threadWith(5);
    queue.dispatch([thread]);
    expect([thread.given, call.rejections]).toMatchObject([[], [{ code: 155 }]]);
  });

  it("gives the last thread what has blocked one before", () => {
    const breaker = new CloudBreaker();
    breaker.strike("spin", "eve");
    const queue = new CallQueue({ breaker });
    for (const name of ["spin", "hello"]) queue.add(functionCall(name));
    const threads = [threadWith(5), threadWith(5)];
    queue.dispatch(threads);
    expect(threads.map(({ given }) => given)).toEqual([["hello"], ["spin"]]);
  });

  it("puts calls back in front of those that came later", () => {
    const [first, second] = [functionCall("a"), functionCall("b")];
    const queue = queueOf([functionCall("c")]);
    queue.putBack([first, second]);
    const thread = threadWith(5);
    queue.dispatch([thread]);
    expect(thread.given).toEqual(["a", "b", "c"]);
  });
});
