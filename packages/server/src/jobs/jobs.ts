import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ErrorCode, type JsonObject, type Operation, ProtocolError, parseQuery } from "@purse/protocol";
import type { RequestContext } from "../caller.ts";
import type { ApiReply, ApiRequest, ApiRoute } from "../http/api.ts";
import { assertMaster } from "../http/masterKeyAccess.ts";
import { newObjectId } from "../objects/objectId.ts";
import type { Logger } from "../observe/logger.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import { ClaimTaken, type Store, type Write } from "../store/store.ts";

export interface JobsParts {
  store: Store;
  schemaOf(className: string): ClassSchema;
  /** Names of the jobs that there are. */
  names(): readonly string[];
  /** Runs a job's code to its end; answers what it says of its success. */
  run(name: string, params: JsonObject, jobId: string, request: RequestContext): Promise<string | undefined>;
  /** In ms since the epoch. */
  clock(): number;
  log: Logger;
  /** How long a request that starts a job waits for its end, in ms: some clients look at its status only once. */
  patienceMs?: number;
}

export interface StartedJob {
  id: string;
  /** Resolves when it has ended, however. */
  ended: Promise<void>;
}

/**
 * By this claim a process shows that it still runs a job; it is renewed while the job runs. Whatever is put down of the job
 * is written together with it: a process that was taken for dead has no say any more.
 */
const RUNNING = "job";
const CLAIM_MS = 60_000;
const RENEW_MS = 20_000;
/** How long a process that has given a job up keeps the one that ran it from saying otherwise, in ms. */
const GIVEN_UP_MS = 24 * 3_600_000;
const MAX_MESSAGE = 10_000;
const PATIENCE_MS = 50;

/** Jobs of the cloud code: started by the operator or by a schedule, with a `_JobStatus` each. */
export class Jobs {
  readonly routes: ApiRoute[];
  readonly #parts: JobsParts;
  readonly #runner = randomUUID();
  readonly #running = new Map<string, NodeJS.Timeout>();

  constructor(parts: JobsParts) {
    this.#parts = parts;
    this.routes = [
      { method: "POST", path: "/jobs", handle: (request) => this.#post(request, request.params.jobName) },
      {
        method: "POST",
        path: "/jobs/:name",
        handle: (request) => this.#post(request, request.pathParams.name),
      },
    ];
  }

  /** Starts a job; what it comes to stands in its `_JobStatus`. Throws 141 for a job that is not there. */
  async start(
    name: string,
    params: JsonObject,
    source: string,
    request: RequestContext,
    deadlineMs?: number,
  ): Promise<StartedJob> {
    if (!this.#parts.names().includes(name)) throw new ProtocolError(ErrorCode.SCRIPT_FAILED, "Invalid job.");
    const id = newObjectId();
    const at = new Date(this.#parts.clock()).toISOString();
    const status = { jobName: name, status: "running", source, params, ACL: {} };
    const object = { objectId: id, createdAt: at, updatedAt: at, ...status };
    const schema = this.#parts.schemaOf("_JobStatus");
    await this.#parts.store.write([{ kind: "create", schema, id, at, object }, this.#claim(id)]);
    const renewal = setInterval(() => void this.#renew(id), RENEW_MS);
    renewal.unref();
    this.#running.set(id, renewal);
    return { id, ended: this.#run(id, name, params, request, deadlineMs) };
  }

  /** Puts down how far a job has come. */
  async message(jobId: string, text: string): Promise<void> {
    if (!this.#running.has(jobId) || text === "") return;
    await this.#write(jobId, [
      this.#claim(jobId),
      this.#change(jobId, { message: text.slice(0, MAX_MESSAGE) }),
    ]);
  }

  /** Marks jobs as failed whose process has ended while they ran. */
  async sweep(): Promise<void> {
    const running = await this.#withStatus("running");
    for (const { objectId, createdAt } of running) {
      const id = String(objectId);
      const ageMs = Math.abs(this.#parts.clock() - Date.parse(String(createdAt)));
      if (this.#running.has(id) || ageMs < CLAIM_MS) continue;
      if ((await this.#parts.store.ownerOf(RUNNING, id)) !== undefined) continue;
      const end = this.#end(id, "failed", "The server ended while the job ran.");
      await this.#write(id, [this.#claim(id, GIVEN_UP_MS), end]);
    }
  }

  /** Says of all that run here that they failed. */
  async stop(): Promise<void> {
    await Promise.all(
      [...this.#running.keys()].map((id) => this.#finish(id, "failed", "The server was stopped.")),
    );
  }

  async #post(request: ApiRequest, name: unknown): Promise<ApiReply> {
    assertMaster(request, "write");
    const { jobName: _, ...params } = request.params;
    const { id, ended } = await this.start(String(name), params, "api", request);
    const told = ended.catch((error: unknown) =>
      this.#parts.log.error("a job's status was not kept", { id, error }),
    );
    const over = new AbortController();
    const patience = delay(this.#parts.patienceMs ?? PATIENCE_MS, undefined, { signal: over.signal });
    await Promise.race([told, patience.catch(() => undefined)]);
    over.abort();
    return { status: 200, body: "{}", headers: { "X-Parse-Job-Status-Id": id } };
  }

  async #run(
    id: string,
    name: string,
    params: JsonObject,
    request: RequestContext,
    deadlineMs: number | undefined,
  ): Promise<void> {
    const done = new AbortController();
    const work = this.#parts.run(name, params, id, request);
    const late = async (): Promise<never> => {
      await delay(deadlineMs, undefined, { signal: done.signal, ref: false });
      throw new Error(`It did not end within ${deadlineMs} ms.`);
    };
    try {
      const message = await (deadlineMs === undefined ? work : Promise.race([work, late()]));
      await this.#finish(id, "succeeded", message);
    } catch (error) {
      await this.#finish(id, "failed", error instanceof Error ? error.message : String(error));
    } finally {
      done.abort();
    }
  }

  async #finish(id: string, status: "succeeded" | "failed", message: string | undefined): Promise<void> {
    // It may have been ended otherwise: by its deadline, or with the server.
    if (!this.#running.has(id)) return;
    clearInterval(this.#running.get(id));
    this.#running.delete(id);
    await this.#write(id, [
      this.#claim(id),
      this.#end(id, status, message),
      { kind: "release", scope: RUNNING, value: id, owner: this.#runner },
    ]);
  }

  #end(id: string, status: "succeeded" | "failed", message: string | undefined): Write {
    const iso = new Date(this.#parts.clock()).toISOString();
    return this.#change(id, {
      status,
      finishedAt: { __type: "Date", iso },
      ...(message !== undefined && message !== "" && { message: message.slice(0, MAX_MESSAGE) }),
    });
  }

  /** Writes what only the process that runs a job may say of it. */
  async #write(id: string, writes: Write[]): Promise<void> {
    try {
      await this.#parts.store.write(writes);
    } catch (error) {
      if (!(error instanceof ClaimTaken)) throw error;
      this.#parts.log.warn("a job was given up by another process: what this one says of it is left out", {
        id,
      });
    }
  }

  #change(id: string, fields: JsonObject): Write {
    const operations = Object.fromEntries(
      Object.entries(fields).map(([name, value]): [string, Operation] => [name, { op: "Set", value }]),
    );
    const at = new Date(this.#parts.clock()).toISOString();
    const schema = this.#parts.schemaOf("_JobStatus");
    return { kind: "update", schema, id, at, operations, principals: null };
  }

  async #renew(id: string): Promise<void> {
    try {
      await this.#parts.store.write([this.#claim(id)]);
    } catch (error) {
      this.#parts.log.warn("a running job could not be claimed", { id, error });
    }
  }

  #claim(id: string, forMs: number = CLAIM_MS): Write {
    const expiresAt = this.#parts.clock() + forMs;
    return { kind: "claim", scope: RUNNING, value: id, owner: this.#runner, expiresAt };
  }

  async #withStatus(status: string): Promise<JsonObject[]> {
    const schema = this.#parts.schemaOf("_JobStatus");
    const query = parseQuery("_JobStatus", { where: { status } });
    const texts = await this.#parts.store.find({
      schema,
      where: query.where,
      order: [],
      limit: 1_000,
      skip: 0,
      principals: null,
    });
    return texts.map((text): JsonObject => JSON.parse(text));
  }
}
