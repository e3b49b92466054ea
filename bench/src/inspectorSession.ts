import type { CpuProfile } from "./serverProfile.ts";

interface Reply {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/** The name of the main thread among the profiles. */
export const MAIN_THREAD = "main thread";

/** Profiles all threads of a Node.js process that was started with `--inspect=PORT`. */
export class InspectorSession {
  readonly #socket: WebSocket;
  readonly #pending = new Map<string, (reply: Reply) => void>();
  /** Session ids of the worker threads, by their titles. */
  readonly #workers = new Map<string, string>();
  #count = 0;

  static async open(port: number): Promise<InspectorSession> {
    const targets: { webSocketDebuggerUrl: string }[] = await (
      await fetch(`http://127.0.0.1:${port}/json/list`)
    ).json();
    const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? "");
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", reject);
    });
    const session = new InspectorSession(socket);
    await session.#call(undefined, "NodeWorker.enable", { waitForDebuggerOnStart: false });
    return session;
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#receive(undefined, JSON.parse(String(data))));
  }

  /** Profiles the main thread and every worker thread while `work` is in progress. By name of the thread. */
  async profile(work: () => Promise<void>): Promise<Map<string, CpuProfile>> {
    const threads = [[MAIN_THREAD, undefined] as const, ...this.#workers];
    for (const [, id] of threads) {
      await this.#call(id, "Profiler.enable");
      await this.#call(id, "Profiler.setSamplingInterval", { interval: 200 });
      await this.#call(id, "Profiler.start");
    }
    await work();
    const profiles = new Map<string, CpuProfile>();
    for (const [title, id] of threads) {
      const { profile } = await this.#call(id, "Profiler.stop");
      if (isProfile(profile)) profiles.set(title, profile);
    }
    return profiles;
  }

  close(): void {
    this.#socket.close();
  }

  async #call(
    sessionId: string | undefined,
    method: string,
    params: Record<string, unknown> = {},
  ): Promise<Record<string, unknown>> {
    const id = ++this.#count;
    const reply = new Promise<Reply>((resolve) => this.#pending.set(`${sessionId ?? ""} ${id}`, resolve));
    const message = JSON.stringify({ id, method, params });
    if (sessionId === undefined) this.#socket.send(message);
    else {
      const outer = { sessionId, message };
      this.#socket.send(
        JSON.stringify({ id: ++this.#count, method: "NodeWorker.sendMessageToWorker", params: outer }),
      );
    }
    const { result = {}, error } = await reply;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  #receive(sessionId: string | undefined, reply: Reply): void {
    const { params = {} } = reply;
    if (reply.method === "NodeWorker.attachedToWorker") {
      const { workerInfo } = params;
      const hasUrl = typeof workerInfo === "object" && workerInfo !== null && "url" in workerInfo;
      const title = hasUrl ? String(workerInfo.url).replace(/^.*\//, "") : "worker";
      this.#workers.set(`${title} ${this.#workers.size + 1}`, String(params.sessionId));
    } else if (reply.method === "NodeWorker.detachedFromWorker") {
      this.#forget(String(params.sessionId));
    } else if (reply.method === "NodeWorker.receivedMessageFromWorker") {
      this.#receive(String(params.sessionId), JSON.parse(String(params.message)));
    } else if (reply.id !== undefined) {
      const key = `${sessionId ?? ""} ${reply.id}`;
      this.#pending.get(key)?.(reply);
      this.#pending.delete(key);
    }
  }

  /** Ends the calls to a worker that has exited, such as an idle one of a pool. */
  #forget(sessionId: string): void {
    for (const [title, id] of this.#workers) if (id === sessionId) this.#workers.delete(title);
    for (const [key, resolve] of this.#pending) {
      if (!key.startsWith(`${sessionId} `)) continue;
      resolve({});
      this.#pending.delete(key);
    }
  }
}

function isProfile(value: unknown): value is CpuProfile {
  return typeof value === "object" && value !== null && "nodes" in value && Array.isArray(value.nodes);
}
