import { randomUUID } from "node:crypto";
import type { JsonObject } from "@purse/protocol";
import type { ScheduleDefinition } from "../../cloud/workerMessages.ts";
import { MASTER, type RequestContext } from "../../core/authContext.ts";
import type { Logger } from "../../core/logger.ts";
import { OutageLog } from "../../core/outageLog.ts";
import { cronTimes, type Schedule } from "../../core/schedule.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { findRows, updateRow } from "../../database/serverRows.ts";
import { type Store, UniqueConstraintError, type Write } from "../../database/store.ts";
import type { JobService } from "./jobService.ts";
import { parseSchedule } from "./schedule.ts";

export interface SchedulerDependencies {
  store: Store;
  schemaOf(className: string): ClassSchema;
  jobs: JobService;
  clock(): number;
  logger: Logger;
}

/** Scope of the unique key that records a schedule's last run; its owner contains the time of the run and the process. */
const LAST_RUN_SCOPE = "job-schedule";
const TICK_MS = 1_000;
/** How often stored schedules are reloaded without a change notification, in ms. */
const RELOAD_MS = 30_000;
/** How far a last run may be in the future before the clock is considered to have been set back, in ms. */
const MAX_CLOCK_SKEW_MS = 60_000;
/** A run that is later than this was missed, in ms. */
const MISSED_AFTER_MS = 60_000;
/** For how long a stored schedule may exist before a process knows it, in ms; older ones have been imported. */
const MAX_UNSEEN_MS = 24 * 3_600_000;
/** The source of the status of scheduled jobs. */
const SOURCE = "schedule";

/**
 * Runs jobs when they are due. All processes of a cluster check the clock; the one that advances the unique key of the
 * schedule runs the job.
 */
export class Scheduler {
  readonly #dependencies: SchedulerDependencies;
  readonly #outages: OutageLog;
  readonly #runnerId = randomUUID();
  #codeSchedules: Schedule[] = [];
  #storedSchedules: Schedule[] = [];
  readonly #loaders: (() => Promise<Schedule[]>)[] = [];
  /** Cached last runs by the key of the schedule. */
  readonly #lastRuns = new Map<string, { owner: string; at: number }>();
  #timer: NodeJS.Timeout | undefined;
  #loadedAt = 0;
  #orphansCheckedAt = 0;
  #running: Promise<void> = Promise.resolve();
  #isBusy = false;
  #isStopped = false;

  constructor(dependencies: SchedulerDependencies) {
    this.#dependencies = dependencies;
    this.#outages = new OutageLog(dependencies.logger);
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  /** Replaces the schedules that the cloud code defines. */
  setCodeSchedules(definitions: readonly ScheduleDefinition[]): void {
    const seen = new Map<string, number>();
    this.#codeSchedules = definitions.map(({ jobName, cron, params, catchUp, deadlineMs }) => {
      const name = `code ${jobName} ${cron} ${JSON.stringify(params)}`.slice(0, 480);
      const count = seen.get(name) ?? 0;
      seen.set(name, count + 1);
      const key = `${name} ${count}`;
      return {
        key,
        jobName,
        params,
        catchUp,
        deadlineMs,
        rowId: undefined,
        changedAt: undefined,
        onlyTime: undefined,
        next: cronTimes(cron),
      };
    });
  }

  /** Adds schedules of the server itself; they are loaded again with the stored ones. */
  addLoader(load: () => Promise<Schedule[]>): void {
    this.#loaders.push(load);
    this.invalidate();
  }

  /** Reloads the stored schedules at the next check, because one has changed. */
  invalidate(): void {
    this.#loadedAt = 0;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  #tick(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#running = this.runDueJobs()
      .then(
        () => this.#outages.succeeded("", "the schedules are checked again"),
        (error: unknown) => this.#outages.failed("", "the schedules could not be checked", { error }),
      )
      .finally(() => {
        this.#isBusy = false;
      });
  }

  /** Runs the jobs that are due now. */
  async runDueJobs(): Promise<void> {
    if (this.#isStopped) return;
    const now = this.#dependencies.clock();
    if (Math.abs(now - this.#loadedAt) >= RELOAD_MS) {
      this.#loadedAt = now;
      const loaded = [this.#loadStoredSchedules(), ...this.#loaders.map((load) => load())];
      this.#storedSchedules = (await Promise.all(loaded)).flat();
    }
    if (Math.abs(now - this.#orphansCheckedAt) >= RELOAD_MS) {
      this.#orphansCheckedAt = now;
      await this.#dependencies.jobs.failOrphanedJobs();
    }
    for (const schedule of [...this.#codeSchedules, ...this.#storedSchedules]) {
      const { key, jobName } = schedule;
      await this.#runIfDue(schedule, now).then(
        () => this.#outages.succeeded(key, "the schedule of a job is checked again", { jobName }),
        // It is tried again at the next check.
        (error: unknown) =>
          this.#outages.failed(key, "the schedule of a job could not be checked", { jobName, error }),
      );
    }
  }

  async #runIfDue(schedule: Schedule, now: number): Promise<void> {
    const known = this.#lastRuns.get(schedule.key);
    if (known && known.at <= now + MAX_CLOCK_SKEW_MS && !isDue(schedule, known.at, now)) return;
    // Another process may have run it meanwhile.
    const last = await this.#readLastRun(schedule.key);
    if (!last) {
      await this.#advance(schedule.key, undefined, firstSeenAt(schedule, now));
      return;
    }
    // The clock was ahead at the last run; without a reset the schedule would not run until that time is reached.
    if (last.at > now + MAX_CLOCK_SKEW_MS) {
      this.#dependencies.logger.warn("the clock was set back: a schedule was reset", {
        jobName: schedule.jobName,
        last: new Date(last.at).toISOString(),
      });
      await this.#advance(schedule.key, last.owner, now);
      return;
    }
    this.#lastRuns.set(schedule.key, last);
    if (!isDue(schedule, last.at, now)) return;
    const due = latestDueTime(schedule, last.at, now);
    const run = (requiredWrites: readonly Write[]) => this.#run(schedule, due, now, requiredWrites);
    if (!(await this.#advance(schedule.key, last.owner, due, run))) return;
    if (schedule.rowId !== undefined) await this.#recordRun(schedule.rowId, now);
  }

  /** Starts a job that was due, or records why it is not started, if the `requiredWrites` succeed. */
  async #run(schedule: Schedule, due: number, now: number, requiredWrites: readonly Write[]): Promise<void> {
    const { jobName, params, catchUp, deadlineMs, run } = schedule;
    const { jobs, store, logger } = this.#dependencies;
    const at = new Date(due).toISOString();
    if (now - due > MISSED_AFTER_MS && catchUp === "skip") {
      logger.warn("a scheduled job was missed", { jobName, at });
      if (schedule.next(due) !== undefined) await store.write([...requiredWrites]);
      else
        await jobs.recordFailure(
          jobName,
          params,
          SOURCE,
          `The job was missed: it was due at ${at}.`,
          requiredWrites,
        );
      return;
    }
    if (!run && !jobs.isDefined(jobName)) {
      logger.error("a scheduled job could not be started: it is not defined", { jobName });
      return jobs.recordFailure(jobName, params, SOURCE, "Invalid job.", requiredWrites);
    }
    const { ended } = await jobs.start(jobName, params, SOURCE, serverRequest(), {
      deadlineMs,
      requiredWrites,
      run,
    });
    ended.catch((error: unknown) => logger.error("a job's status could not be stored", { jobName, error }));
  }

  /**
   * Advances the last run of a schedule, together with what `write` stores. False if another process was faster.
   */
  async #advance(
    key: string,
    from: string | undefined,
    at: number,
    write: (requiredWrites: readonly Write[]) => Promise<unknown> = (requiredWrites) =>
      this.#dependencies.store.write([...requiredWrites]),
  ): Promise<boolean> {
    const owner = `${at} ${this.#runnerId} ${randomUUID()}`;
    const last = { scope: LAST_RUN_SCOPE, value: key };
    try {
      await write([
        ...(from === undefined ? [] : [{ kind: "releaseUnique", ...last, owner: from } as const]),
        { kind: "reserveUnique", ...last, owner },
      ]);
    } catch (error) {
      this.#lastRuns.delete(key);
      if (error instanceof UniqueConstraintError) return false;
      throw error;
    }
    this.#lastRuns.set(key, { owner, at });
    return true;
  }

  async #readLastRun(key: string): Promise<{ owner: string; at: number } | undefined> {
    const owner = await this.#dependencies.store.getUniqueOwner(LAST_RUN_SCOPE, key);
    return owner === undefined ? undefined : { owner, at: Number(owner.split(" ", 1)[0]) };
  }

  async #loadStoredSchedules(): Promise<Schedule[]> {
    const { store, logger } = this.#dependencies;
    const rows = await findRows(store, this.#dependencies.schemaOf("_JobSchedule"), { limit: 1_000 });
    return rows.flatMap((row) => {
      try {
        return [parseSchedule(row)];
      } catch (error) {
        logger.warn("a row of _JobSchedule is not a valid schedule", { row, error });
        return [];
      }
    });
  }

  /** Stores the time of the last run, which Parse Dashboard shows. */
  async #recordRun(id: string, now: number): Promise<void> {
    const schema = this.#dependencies.schemaOf("_JobSchedule");
    await this.#dependencies.store.write([updateRow(schema, id, now, { lastRun: now })]);
  }
}

/**
 * From when the times count of a schedule that no process has known yet. Those of a row count from its last change: the
 * process that stored it may have ended before any process has read it. The only time of a row also counts if it passed
 * while the row was being stored.
 */
function firstSeenAt({ changedAt, onlyTime }: Schedule, now: number): number {
  if (changedAt === undefined) return now;
  const isJustPassed =
    onlyTime !== undefined && onlyTime <= changedAt && changedAt - onlyTime < MISSED_AFTER_MS;
  return Math.min(now, Math.max(isJustPassed ? onlyTime - 1 : changedAt, now - MAX_UNSEEN_MS));
}

function isDue(schedule: Schedule, last: number, now: number): boolean {
  const next = schedule.next(last);
  return next !== undefined && next <= now;
}

/**
 * The latest time that was due; of several missed runs only one is made up for. Looks back twice as far each time, because the
 * schedule of each second has missed 86,400 times in a day.
 */
function latestDueTime(schedule: Schedule, last: number, now: number): number {
  for (let span = TICK_MS; ; span *= 2) {
    const from = Math.max(last, now - span);
    let due = from;
    for (let next = schedule.next(from); next !== undefined && next <= now; next = schedule.next(due))
      due = next;
    if (due > from || from === last) return due;
  }
}

/** The request context of a scheduled run. */
function serverRequest(): RequestContext {
  const context: JsonObject = {};
  return { auth: MASTER, installationId: undefined, context, ip: "127.0.0.1", requestId: randomUUID() };
}
