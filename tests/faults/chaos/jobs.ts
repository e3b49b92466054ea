import { expect } from "vitest";
import { type Purse, query, rest } from "../../support/purse.ts";

const MASTER = { useMasterKey: true };

/** How long it may take until the job of a killed process is marked as failed, in ms. */
const LOST_JOB_MS = 180_000;

/** Jobs that are due amid faults run at most once each; each that was acknowledged has succeeded or failed in the end. */
export class Jobs {
  readonly #acked: number[] = [];
  /** How often schedules were not acknowledged, by reason. */
  readonly rejections: Record<string, number> = {};
  #last = 0;

  get acked(): number {
    return this.#acked.length;
  }

  get unknown(): number {
    return this.#last - this.acked;
  }

  async schedule(purse: Purse): Promise<void> {
    const startAfter = new Date(Date.now() + 1_500).toISOString();
    const n = ++this.#last;
    const schedule = { jobName: "count", startAfter, params: JSON.stringify({ n }) };
    const reason = await rest(purse, "POST", "/classes/_JobSchedule", schedule, MASTER).then(
      ({ status, body }) => (status === 201 ? undefined : `${status} ${body.error}`),
      (error: unknown) => String(error),
    );
    if (reason === undefined) this.#acked.push(n);
    else this.rejections[reason] = (this.rejections[reason] ?? 0) + 1;
  }

  /** The numbers of the jobs that have ended, sorted. */
  async #ended(purse: Purse): Promise<number[]> {
    const where = { jobName: "count", status: { $in: ["succeeded", "failed"] } };
    const path = `/classes/_JobStatus${query({ where, limit: "10000" })}`;
    const { body } = await rest(purse, "GET", path, undefined, MASTER);
    const statuses = Array.isArray(body.results) ? body.results : [];
    return statuses.map((status) => Number(Object(Object(status).params).n)).sort((a, b) => a - b);
  }

  /** How many jobs have been started, or have one of these states. */
  async runs(purse: Purse, ...states: string[]): Promise<number> {
    const where = { jobName: "count", ...(states.length > 0 && { status: { $in: states } }) };
    const path = `/classes/_JobStatus${query({ where, count: 1, limit: "0" })}`;
    return Number((await rest(purse, "GET", path, undefined, MASTER)).body.count);
  }

  async check(purse: Purse): Promise<void> {
    const lost = async () => {
      const ended = new Set(await this.#ended(purse));
      return this.#acked.filter((n) => !ended.has(n));
    };
    const patience = { timeout: LOST_JOB_MS, interval: 1_000 };
    await expect
      .poll(lost, patience)
      .toEqual([])
      .catch((error: unknown) => this.#explain(purse, error));
    await expect.poll(() => this.runs(purse, "running"), patience).toBe(0);
    const ended = await this.#ended(purse);
    expect(ended).toEqual([...new Set(ended)]);
  }

  /** Fails with all schedules and statuses. */
  async #explain(purse: Purse, error: unknown): Promise<never> {
    for (const className of ["_JobSchedule", "_JobStatus"]) {
      const path = `/classes/${className}${query({ limit: "10000" })}`;
      console.log(className, JSON.stringify((await rest(purse, "GET", path, undefined, MASTER)).body));
    }
    throw error;
  }
}
