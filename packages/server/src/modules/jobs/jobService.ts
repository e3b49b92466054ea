import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ErrorCode, type JsonObject, ProtocolError, parseWhere } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import type { Logger } from "../../core/logger.ts";
import { storableText } from "../../core/storableText.ts";
import { newObjectId } from "../../data/objects/objectId.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { createRow, findRows, updateRow } from "../../database/serverRows.ts";
import { type Store, UniqueConstraintError, type Write } from "../../database/store.ts";

export interface JobServiceDependencies {
  store: Store;
  schemaOf(className: string): ClassSchema;
  /** Names of the defined jobs. */
  names(): readonly string[];
  /** Runs a job's code to completion; resolves to its success message. */
  run(name: string, params: JsonObject, jobId: string, request: RequestContext): Promise<string | undefined>;
  /** Milliseconds since the epoch. */
  clock(): number;
  logger: Logger;
  /** Called when a job has failed. */
  onFailed?(name: string, message: string): void;
  /** How long a request that starts a job waits for its end, in ms, because some clients read its status only once. */
  maxStartWaitMs?: number;
}

export interface StartedJob {
  id: string;
  /** Resolves when the job has ended, whether it succeeded or failed. */
  ended: Promise<void>;
}

/**
 * Scope of the unique key that a process holds while it runs a job. The key expires unless it is renewed. Every write to
 * the job's status also renews it, so a process that was presumed dead can no longer change the status.
 */
const RUNNING_JOB_SCOPE = "job";
const RESERVATION_TTL_MS = 60_000;
const RENEW_MS = 20_000;
/** How long the previous process is kept from changing the status of a job that was marked as failed, in ms. */
const TAKEOVER_TTL_MS = 24 * 3_600_000;
const MAX_MESSAGE_LENGTH = 10_000;
const MAX_START_WAIT_MS = 50;

export interface StartOptions {
  /** After this time the job counts as failed. */
  deadlineMs?: number | undefined;
  /** The job starts only if these writes succeed. */
  requiredWrites?: readonly Write[];
  /** The work of a job that cloud code does not define; resolves to its success message. */
  run?: (() => Promise<string | undefined>) | undefined;
}

/** Runs jobs of the cloud code, started with the master key or by a schedule. Each run has a `_JobStatus`. */
export class JobService {
  readonly #dependencies: JobServiceDependencies;
  readonly #runnerId = randomUUID();
  readonly #running = new Map<string, NodeJS.Timeout>();

  constructor(dependencies: JobServiceDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Starts a job; its result is stored in its `_JobStatus`. With `requiredWrites`, it starts only if they succeed, in
   * the same transaction as its status: if the process ends afterwards, another one marks the job as failed. Throws 141
   * if the job is not defined.
   */
  async start(
    name: string,
    params: JsonObject,
    source: string,
    request: RequestContext,
    { deadlineMs, requiredWrites = [], run }: StartOptions = {},
  ): Promise<StartedJob> {
    if (!run && !this.isDefined(name)) throw new ProtocolError(ErrorCode.SCRIPT_FAILED, "Invalid job.");
    const id = newObjectId();
    const status = this.#create(id, { jobName: name, status: "running", source, params });
    await this.#dependencies.store.write([...requiredWrites, status, this.#reservation(id)]);
    const renewal = setInterval(() => void this.#renew(id), RENEW_MS);
    renewal.unref();
    this.#running.set(id, renewal);
    const work = run ? run() : this.#dependencies.run(name, params, id, request);
    return { id, ended: this.#awaitEnd(id, name, work, deadlineMs) };
  }

  isDefined(name: string): boolean {
    return this.#dependencies.names().includes(name);
  }

  /** Stores that a job failed without having been started, if the `requiredWrites` succeed. */
  async recordFailure(
    name: string,
    params: JsonObject,
    source: string,
    message: string,
    requiredWrites: readonly Write[],
  ): Promise<void> {
    const iso = new Date(this.#dependencies.clock()).toISOString();
    const finishedAt = { __type: "Date", iso };
    const status = { jobName: name, status: "failed", source, params, message, finishedAt };
    await this.#dependencies.store.write([...requiredWrites, this.#create(newObjectId(), status)]);
    this.#dependencies.onFailed?.(name, message);
  }

  /** Stores a progress message of a running job. */
  async message(jobId: string, text: string): Promise<void> {
    if (!this.#running.has(jobId) || text === "") return;
    await this.#write(jobId, [
      this.#reservation(jobId),
      this.#update(jobId, { message: storableText(text, MAX_MESSAGE_LENGTH) }),
    ]);
  }

  /** Marks jobs as failed whose process ended while they were running. */
  async failOrphanedJobs(): Promise<void> {
    const running = await this.#findByStatus("running");
    for (const { objectId, createdAt } of running) {
      const id = String(objectId);
      const ageMs = Math.abs(this.#dependencies.clock() - Date.parse(String(createdAt)));
      if (this.#running.has(id) || ageMs < RESERVATION_TTL_MS) continue;
      if ((await this.#dependencies.store.getUniqueOwner(RUNNING_JOB_SCOPE, id)) !== undefined) continue;
      const end = this.#endUpdate(id, "failed", "The server ended while the job was running.");
      await this.#write(id, [this.#reservation(id, TAKEOVER_TTL_MS), end]);
    }
  }

  /** Marks all jobs that run in this process as failed. */
  async stop(): Promise<void> {
    await Promise.all(
      [...this.#running.keys()].map((id) => this.#finish(id, "failed", "The server was stopped.")),
    );
  }

  /**
   * Starts a job on request and returns the ID of its status. Waits a moment for its end, because some clients read the
   * status only once. Throws 141 if the job is not defined.
   */
  async startOnRequest(name: string, params: JsonObject, request: RequestContext): Promise<string> {
    const { id, ended } = await this.start(name, params, "api", request);
    const settled = ended.catch((error: unknown) =>
      this.#dependencies.logger.error("a job's status could not be stored", { id, error }),
    );
    const controller = new AbortController();
    const timeout = delay(this.#dependencies.maxStartWaitMs ?? MAX_START_WAIT_MS, undefined, {
      signal: controller.signal,
    });
    await Promise.race([settled, timeout.catch(() => undefined)]);
    controller.abort();
    return id;
  }

  async #awaitEnd(
    id: string,
    name: string,
    work: Promise<string | undefined>,
    deadlineMs: number | undefined,
  ): Promise<void> {
    const done = new AbortController();
    const rejectAtDeadline = async (): Promise<never> => {
      await delay(deadlineMs, undefined, { signal: done.signal, ref: false });
      throw new Error(`The job did not finish within ${deadlineMs} ms.`);
    };
    try {
      const message = await (deadlineMs === undefined ? work : Promise.race([work, rejectAtDeadline()]));
      await this.#finish(id, "succeeded", message);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (this.#running.has(id)) this.#dependencies.onFailed?.(name, reason);
      await this.#finish(id, "failed", reason);
    } finally {
      done.abort();
    }
  }

  async #finish(id: string, status: "succeeded" | "failed", message: string | undefined): Promise<void> {
    // The job may have been ended already, by its deadline or by stop().
    if (!this.#running.has(id)) return;
    clearInterval(this.#running.get(id));
    this.#running.delete(id);
    await this.#write(id, [
      this.#reservation(id),
      this.#endUpdate(id, status, message),
      { kind: "releaseUnique", scope: RUNNING_JOB_SCOPE, value: id, owner: this.#runnerId },
    ]);
  }

  #endUpdate(id: string, status: "succeeded" | "failed", message: string | undefined): Write {
    const iso = new Date(this.#dependencies.clock()).toISOString();
    return this.#update(id, {
      status,
      finishedAt: { __type: "Date", iso },
      ...(message !== undefined && message !== "" && { message: storableText(message, MAX_MESSAGE_LENGTH) }),
    });
  }

  /** Writes to a job's status, unless another process has marked the job as failed. */
  async #write(id: string, writes: Write[]): Promise<void> {
    try {
      await this.#dependencies.store.write(writes);
    } catch (error) {
      if (!(error instanceof UniqueConstraintError)) throw error;
      this.#dependencies.logger.warn(
        "a job's status was not updated: another process has marked it as failed",
        { id },
      );
    }
  }

  #create(id: string, fields: JsonObject): Write {
    const { schemaOf, clock } = this.#dependencies;
    return createRow(schemaOf("_JobStatus"), id, clock(), { ...fields, ACL: {} });
  }

  #update(id: string, fields: JsonObject): Write {
    const { schemaOf, clock } = this.#dependencies;
    return updateRow(schemaOf("_JobStatus"), id, clock(), fields);
  }

  async #renew(id: string): Promise<void> {
    try {
      await this.#dependencies.store.write([this.#reservation(id)]);
    } catch (error) {
      this.#dependencies.logger.warn("the reservation of a running job could not be renewed", { id, error });
    }
  }

  #reservation(id: string, ttlMs: number = RESERVATION_TTL_MS): Write {
    const expiresAt = this.#dependencies.clock() + ttlMs;
    return { kind: "reserveUnique", scope: RUNNING_JOB_SCOPE, value: id, owner: this.#runnerId, expiresAt };
  }

  #findByStatus(status: string): Promise<JsonObject[]> {
    const { store, schemaOf } = this.#dependencies;
    return findRows(store, schemaOf("_JobStatus"), { where: parseWhere({ status }), limit: 1_000 });
  }
}
