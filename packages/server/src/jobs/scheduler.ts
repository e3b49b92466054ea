import { randomUUID } from "node:crypto";
import { isJsonObject, type JsonObject, parseQuery } from "@purse/protocol";
import { MASTER, type RequestContext } from "../caller.ts";
import type { ScheduleDefinition } from "../cloud/workerMessages.ts";
import type { Logger } from "../observe/logger.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import { ClaimTaken, type Store } from "../store/store.ts";
import type { Jobs } from "./jobs.ts";
import { cronTimes, type Schedule, storedSchedule } from "./storedSchedule.ts";

export interface SchedulerParts {
  store: Store;
  schemaOf(className: string): ClassSchema;
  jobs: Jobs;
  clock(): number;
  log: Logger;
}

/** Which time of a schedule was run last, and by whom: changed by one process at a time. */
const LAST_RUN = "job-schedule";
const TICK_MS = 1_000;
/** How often rows are read again, though nobody has told of a change, in ms. */
const REREAD_MS = 30_000;
/** How far a schedule may have run ahead of the clock before the clock counts as set back, in ms. */
const CLOCK_ERROR_MS = 60_000;
/** A run that is this late was missed, in ms. */
const MISSED_MS = 60_000;
/** Of more missed times than this nobody looks for the last one. */
const MAX_MISSED = 10_000;

/**
 * Runs jobs when they are due. All processes of a cluster look at the clock; of each time only the one
 * runs the job that moves the schedule's claim on.
 */
export class Scheduler {
  readonly #parts: SchedulerParts;
  readonly #runner = randomUUID();
  #coded: Schedule[] = [];
  #stored: Schedule[] = [];
  /** What is known of the last run, by the schedule's key, until somebody else runs it. */
  readonly #last = new Map<string, { owner: string; at: number }>();
  #timer: NodeJS.Timeout | undefined;
  #readAt = 0;
  #sweptAt = 0;
  #working: Promise<void> = Promise.resolve();
  #isBusy = false;
  #isStopped = false;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  /** Takes the schedules of the cloud code. */
  take(definitions: readonly ScheduleDefinition[]): void {
    const seen = new Map<string, number>();
    this.#coded = definitions.map(({ jobName, cron, params, catchUp, deadlineMs }) => {
      const name = `code ${jobName} ${cron} ${JSON.stringify(params)}`.slice(0, 480);
      const count = seen.get(name) ?? 0;
      seen.set(name, count + 1);
      const key = `${name} ${count}`;
      return { key, jobName, params, catchUp, deadlineMs, rowId: undefined, next: cronTimes(cron) };
    });
  }

  /** Reads the rows again: one of them has changed. */
  reread(): void {
    this.#readAt = 0;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#working;
  }

  #tick(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#working = this.look()
      .catch((error: unknown) => {
        this.#parts.log.error("the schedules could not be looked at", { error });
      })
      .finally(() => {
        this.#isBusy = false;
      });
  }

  /** Runs what is due now. */
  async look(): Promise<void> {
    if (this.#isStopped) return;
    const now = this.#parts.clock();
    if (Math.abs(now - this.#readAt) >= REREAD_MS) {
      this.#readAt = now;
      this.#stored = await this.#readRows();
    }
    if (Math.abs(now - this.#sweptAt) >= REREAD_MS) {
      this.#sweptAt = now;
      await this.#parts.jobs.sweep();
    }
    for (const schedule of [...this.#coded, ...this.#stored]) await this.#runIfDue(schedule, now);
  }

  async #runIfDue(schedule: Schedule, now: number): Promise<void> {
    const known = this.#last.get(schedule.key);
    if (known && known.at <= now + CLOCK_ERROR_MS && !isDue(schedule, known.at, now)) return;
    // Somebody else may have run it meanwhile.
    const last = await this.#readLast(schedule.key);
    if (!last) {
      // Nothing was missed of a schedule that is new.
      await this.#move(schedule.key, undefined, now);
      return;
    }
    // The clock was ahead when it ran last: it would not be due until the clock is there again.
    if (last.at > now + CLOCK_ERROR_MS) {
      this.#parts.log.warn("the clock was set back: a schedule begins anew", {
        jobName: schedule.jobName,
        last: new Date(last.at).toISOString(),
      });
      await this.#move(schedule.key, last.owner, now);
      return;
    }
    this.#last.set(schedule.key, last);
    if (!isDue(schedule, last.at, now)) return;
    const due = latestDue(schedule, last.at, now);
    if (!(await this.#move(schedule.key, last.owner, due))) return;
    const { jobName, catchUp, rowId } = schedule;
    if (now - due > MISSED_MS && catchUp === "skip") {
      this.#parts.log.warn("a scheduled job was missed", { jobName, at: new Date(due).toISOString() });
      return;
    }
    await this.#run(schedule);
    if (rowId !== undefined) await this.#noteRun(rowId, now);
  }

  async #run({ jobName, params, deadlineMs }: Schedule): Promise<void> {
    try {
      const { ended } = await this.#parts.jobs.start(
        jobName,
        params,
        "schedule",
        serverRequest(),
        deadlineMs,
      );
      ended.catch((error: unknown) =>
        this.#parts.log.error("a job's status was not kept", { jobName, error }),
      );
    } catch (error) {
      this.#parts.log.error("a scheduled job could not be started", { jobName, error });
    }
  }

  /** Takes the schedule's claim from who had it. False where another process was quicker. */
  async #move(key: string, from: string | undefined, at: number): Promise<boolean> {
    const owner = `${at} ${this.#runner} ${randomUUID()}`;
    try {
      await this.#parts.store.write([
        ...(from === undefined
          ? []
          : [{ kind: "release", scope: LAST_RUN, value: key, owner: from } as const]),
        { kind: "claim", scope: LAST_RUN, value: key, owner },
      ]);
    } catch (error) {
      this.#last.delete(key);
      if (error instanceof ClaimTaken) return false;
      throw error;
    }
    this.#last.set(key, { owner, at });
    return true;
  }

  async #readLast(key: string): Promise<{ owner: string; at: number } | undefined> {
    const owner = await this.#parts.store.ownerOf(LAST_RUN, key);
    return owner === undefined ? undefined : { owner, at: Number(owner.split(" ", 1)[0]) };
  }

  async #readRows(): Promise<Schedule[]> {
    const { store, log } = this.#parts;
    const schema = this.#parts.schemaOf("_JobSchedule");
    const { where } = parseQuery("_JobSchedule", {});
    const texts = await store.find({ schema, where, order: [], limit: 1_000, skip: 0, principals: null });
    return texts.flatMap((text) => {
      const row: unknown = JSON.parse(text);
      try {
        return isJsonObject(row) ? [storedSchedule(row)] : [];
      } catch (error) {
        log.warn("a row of _JobSchedule says nothing that can be run", { row, error });
        return [];
      }
    });
  }

  /** Parse Dashboard shows this. */
  async #noteRun(id: string, now: number): Promise<void> {
    const schema = this.#parts.schemaOf("_JobSchedule");
    const at = new Date(now).toISOString();
    const operations = { lastRun: { op: "Set", value: now } } as const;
    await this.#parts.store.write([{ kind: "update", schema, id, at, operations, principals: null }]);
  }
}

function isDue(schedule: Schedule, last: number, now: number): boolean {
  const next = schedule.next(last);
  return next !== undefined && next <= now;
}

/** The last time that was due: of those that were missed only one can be made up for. */
function latestDue(schedule: Schedule, last: number, now: number): number {
  let due = last;
  for (let count = 0; count < MAX_MISSED; count += 1) {
    const next = schedule.next(due);
    if (next === undefined || next > now) return due;
    due = next;
  }
  return now;
}

/** Nobody has asked for it but the server itself. */
function serverRequest(): RequestContext {
  const context: JsonObject = {};
  return { caller: MASTER, installationId: undefined, context, ip: "127.0.0.1", requestId: randomUUID() };
}
