import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../support/until.ts";

/** The memory and resources of a process after garbage collection. */
export interface MemorySnapshot {
  /** Of the main thread, in bytes. */
  heap: number;
  /** Buffers and other memory outside of the heap, in bytes. */
  external: number;
  /** Of the whole process, in bytes. */
  rss: number;
  /** Open file descriptors. */
  fds: number;
  /** Timers, sockets and other handles that keep the event loop running. */
  handles: number;
  emitters: number;
  listeners: number;
  /** Maps and sets, and all of their entries together. */
  maps: number;
  entries: number;
  /** The largest maps and sets: size, and what the first key is. */
  largest: LargestCollection[];
  /** The heaps of the other threads, in bytes. */
  threads: number[];
}

/** A map, set or array of many items. */
export interface LargestCollection {
  kind: string;
  size: number;
  sample: string;
}

interface DevtoolsResponse {
  result?: { value?: unknown; objectId?: string };
  objects?: { objectId?: string };
}

/** Inspects a process that was started with `--inspect`; `pid` is its Linux process id. */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #pid: number;
  readonly #pending = new Map<number, PromiseWithResolvers<DevtoolsResponse>>();
  readonly #threads = new Set<string>();
  #calls = 0;

  private constructor(socket: WebSocket, pid: number) {
    this.#socket = socket;
    this.#pid = pid;
    socket.addEventListener("message", ({ data }) => this.#receive(JSON.parse(String(data))));
  }

  /** `output` is what the process has printed so far: its inspector's address is in it. */
  static async attach(output: () => string, pid: number): Promise<Inspector> {
    const address = await until(() => /Debugger listening on (ws:\S+)/.exec(output())?.[1], {
      otherwise: () => `The inspector does not listen:\n${output()}`,
    });
    const socket = new WebSocket(address);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve, { once: true });
      socket.addEventListener("error", reject, { once: true });
    });
    const inspector = new Inspector(socket, pid);
    await inspector.#call("NodeWorker.enable", { waitForDebuggerOnStart: false });
    return inspector;
  }

  close(): void {
    this.#socket.close();
  }

  async takeSnapshot(): Promise<MemorySnapshot> {
    // Finalizers free more memory in the next collections. The search for objects begins with one.
    for (let round = 0; round < 2; round++) {
      await this.#call("HeapProfiler.collectGarbage");
      await sleep(50);
    }
    const [objects, memory, handles] = [
      await this.#callOnInstances<CountedObjects>(COMMON_PROTOTYPE, COUNTS),
      await this.#evaluate<{ heapUsed: number; external: number; rss: number }>("process.memoryUsage()"),
      await this.#evaluate<number>("process.getActiveResourcesInfo().length"),
    ];
    return {
      heap: memory.heapUsed,
      external: memory.external,
      rss: memory.rss,
      handles,
      ...objects,
      fds: readdirSync(`/proc/${this.#pid}/fd`).length,
      threads: await this.#threadHeaps(),
    };
  }

  /** CPU time of the process until now, in s. */
  cpu(): number {
    const fields = readFileSync(`/proc/${this.#pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  /** The arrays of more than a thousand items. They take longer to find than everything else. */
  async largestArrays(): Promise<LargestCollection[]> {
    return this.#callOnInstances<LargestCollection[]>("Array.prototype", LENGTHS);
  }

  async #threadHeaps(): Promise<number[]> {
    const heaps: number[] = [];
    for (const sessionId of this.#threads) {
      for (let round = 0; round < 2; round++)
        await this.#callInThread(sessionId, "HeapProfiler.collectGarbage");
      const { result } = await this.#callInThread(sessionId, "Runtime.evaluate", {
        expression: "process.memoryUsage().heapUsed",
        returnByValue: true,
      });
      heaps.push(Number(result?.value));
    }
    return heaps;
  }

  async #evaluate<T>(expression: string): Promise<T> {
    const { result } = await this.#call("Runtime.evaluate", { expression, returnByValue: true });
    return JSON.parse(JSON.stringify(result?.value));
  }

  /** Calls a function with all objects that have the prototype, and returns its result. */
  async #callOnInstances<T>(prototype: string, functionDeclaration: string): Promise<T> {
    const { result } = await this.#call("Runtime.evaluate", { expression: prototype });
    const { objects } = await this.#call("Runtime.queryObjects", {
      prototypeObjectId: result?.objectId,
      objectGroup: "leaks",
    });
    const answer = await this.#call("Runtime.callFunctionOn", {
      objectId: objects?.objectId,
      functionDeclaration: functionDeclaration,
      returnByValue: true,
    });
    await this.#call("Runtime.releaseObjectGroup", { objectGroup: "leaks" });
    return JSON.parse(JSON.stringify(answer.result?.value));
  }

  #call(method: string, params: object = {}): Promise<DevtoolsResponse> {
    const id = ++this.#calls;
    const pending = Promise.withResolvers<DevtoolsResponse>();
    this.#pending.set(id, pending);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return pending.promise;
  }

  async #callInThread(sessionId: string, method: string, params: object = {}): Promise<DevtoolsResponse> {
    const id = ++this.#calls;
    const pending = Promise.withResolvers<DevtoolsResponse>();
    this.#pending.set(id, pending);
    await this.#call("NodeWorker.sendMessageToWorker", {
      sessionId,
      message: JSON.stringify({ id, method, params }),
    });
    return pending.promise;
  }

  #receive(message: {
    id?: number;
    method?: string;
    result?: DevtoolsResponse;
    error?: { message: string };
    params?: { sessionId?: string; message?: string };
  }): void {
    const { id, method, result, error, params } = message;
    if (method === "NodeWorker.attachedToWorker" && params?.sessionId) this.#threads.add(params.sessionId);
    if (method === "NodeWorker.detachedFromWorker" && params?.sessionId) {
      this.#threads.delete(params.sessionId);
    }
    if (method === "NodeWorker.receivedMessageFromWorker" && params?.message) {
      this.#receive(JSON.parse(params.message));
    }
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (id === undefined || !pending) return;
    this.#pending.delete(id);
    if (error) pending.reject(new Error(error.message));
    else pending.resolve(result ?? {});
  }
}

type CountedObjects = Pick<MemorySnapshot, "emitters" | "listeners" | "maps" | "entries" | "largest">;

/* Functions that run in the inspected process. */

/**
 * The prototype that the prototypes of maps, sets and event emitters inherit from: a search for objects takes a second, so that
 * one search finds all of them.
 */
const COMMON_PROTOTYPE = `globalThis[Symbol.for("leaks")] ??= (() => {
  const common = Object.create(Object.prototype);
  const { EventEmitter } = process.getBuiltinModule("node:events");
  for (const { prototype } of [Map, Set, EventEmitter]) Object.setPrototypeOf(prototype, common);
  return common;
})()`;

const COUNTS = `function () {
  const { EventEmitter } = process.getBuiltinModule("node:events");
  let [maps, entries, emitters, listeners] = [0, 0, 0, 0];
  const sized = [];
  for (const each of this) {
    if (each instanceof EventEmitter) {
      emitters += 1;
      try {
        for (const name of each.eventNames()) listeners += each.listenerCount(name);
      } catch {}
    } else if (each instanceof Map || each instanceof Set) {
      maps += 1;
      let size = 0;
      try { size = each.size; } catch {}
      entries += size;
      if (size > 100) sized.push(each);
    }
  }
  sized.sort((a, b) => b.size - a.size);
  const sampleOf = (each) => {
    const [first] = each.keys();
    const text = typeof first === "object" && first !== null ? Object.keys(first).join() : String(first);
    const [value] = each.values();
    const inside = typeof value === "object" && value !== null ? Object.keys(value).join() : typeof value;
    return (text + " → " + inside).slice(0, 120);
  };
  const largest = sized.slice(0, 40).map((each) => ({ kind: each.constructor.name, size: each.size, sample: sampleOf(each) }));
  return { emitters, listeners, maps, entries, largest };
}`;

const LENGTHS = `function () {
  const long = [];
  for (const each of this) {
    if (each.length > 1000) long.push(each);
  }
  long.sort((a, b) => b.length - a.length);
  return long.slice(0, 20).map((each) => {
    const first = each[0];
    const text = typeof first === "object" && first !== null ? Object.keys(first).join() : String(first);
    return { kind: "Array", size: each.length, sample: text.slice(0, 120) };
  });
}`;
