import { ErrorCode, ProtocolError, parseWhere } from "@purse/protocol";
import { cronTimes, type Schedule } from "../core/schedule.ts";
import type { ClassSchema } from "../database/classSchema.ts";
import { createRow, findRows, getRow } from "../database/serverRows.ts";
import type { StudioBackupSchedule, StudioBackupState, StudioScheduledBackup } from "../studioApi/backups.ts";
import type { Backups } from "./backups.ts";
import type { OperatorDependencies } from "./operators.ts";

export interface BackupScheduleDependencies
  extends Pick<OperatorDependencies, "store" | "classes" | "clock"> {
  backups: Pick<Backups, "createScheduled">;
  schemaOf(className: string): ClassSchema;
  /** Called when `load` would return another schedule. */
  onChange(): void;
}

/** The name of the job in `_JobStatus` and in alerts. */
export const BACKUP_JOB = "scheduled backup";
/** There is one schedule. */
const ID = "schedule";

interface StoredSchedule {
  cron: string;
  keep: number;
  changedAt: number;
}

/** When backups are created without a request. The scheduler of jobs runs them, in one process of a cluster. */
export class BackupSchedule {
  readonly #dependencies: BackupScheduleDependencies;

  constructor(dependencies: BackupScheduleDependencies) {
    this.#dependencies = dependencies;
  }

  async get(): Promise<StudioBackupSchedule | undefined> {
    const stored = await this.#read();
    return stored && this.#describe(stored);
  }

  /** Throws 142 for an invalid cron expression. */
  async set({ cron, keep }: { cron: string; keep: number }): Promise<StudioBackupSchedule> {
    const { store, clock, onChange } = this.#dependencies;
    const fields = cron.trim().split(/\s+/);
    if (fields.length !== 5) throw invalidCron("It needs five fields: minute, hour, day, month and weekday.");
    const schedule = { cron: fields.join(" "), keep };
    try {
      cronTimes(schedule.cron);
    } catch (error) {
      throw invalidCron(error instanceof Error ? error.message : String(error));
    }
    const now = clock();
    const { object } = createRow(this.#schema, ID, now, { ...schedule, ACL: {} });
    await store.write([{ kind: "restore", schema: this.#schema, id: ID, object, secret: {} }]);
    onChange();
    return this.#describe({ ...schedule, changedAt: now });
  }

  async remove(): Promise<void> {
    if (!(await this.#read())) return;
    await this.#dependencies.store.write([{ kind: "delete", schema: this.#schema, id: ID, subjects: null }]);
    this.#dependencies.onChange();
  }

  async getState(): Promise<Pick<StudioBackupState, "schedule" | "lastScheduled">> {
    const [schedule, lastScheduled] = await Promise.all([this.get(), this.#lastRun()]);
    return { ...(schedule && { schedule }), ...(lastScheduled && { lastScheduled }) };
  }

  /** The schedule as the scheduler of jobs needs it. A missed backup is created as soon as possible. */
  async load(): Promise<Schedule[]> {
    const stored = await this.#read();
    if (!stored) return [];
    const { cron, keep, changedAt } = stored;
    return [
      {
        // One that is set again has missed nothing before.
        key: `${BACKUP_JOB} ${cron} ${changedAt}`,
        jobName: BACKUP_JOB,
        params: { keep },
        catchUp: "once",
        deadlineMs: undefined,
        rowId: undefined,
        changedAt,
        onlyTime: undefined,
        next: cronTimes(cron),
        run: () => this.#dependencies.backups.createScheduled(keep),
      },
    ];
  }

  get #schema(): ClassSchema {
    return this.#dependencies.classes._StudioBackupSchedule;
  }

  async #read(): Promise<StoredSchedule | undefined> {
    const row = await getRow(this.#dependencies.store, this.#schema, ID);
    if (!row) return undefined;
    const { cron, keep, updatedAt } = row;
    return { cron: String(cron), keep: Number(keep), changedAt: Date.parse(String(updatedAt)) };
  }

  #describe({ cron, keep }: StoredSchedule): StudioBackupSchedule {
    const next = cronTimes(cron)(this.#dependencies.clock());
    return { cron, keep, nextAt: next === undefined ? null : new Date(next).toISOString() };
  }

  async #lastRun(): Promise<StudioScheduledBackup | undefined> {
    const { store, schemaOf } = this.#dependencies;
    const [row] = await findRows(store, schemaOf("_JobStatus"), {
      where: parseWhere({ jobName: BACKUP_JOB }),
      order: "-createdAt",
      limit: 1,
    });
    if (!row) return undefined;
    const { createdAt, status, message } = row;
    return {
      at: String(createdAt),
      status: status === "running" || status === "succeeded" ? status : "failed",
      ...(typeof message === "string" && { message }),
    };
  }
}

function invalidCron(reason: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, `The cron expression is invalid: ${reason}`);
}
