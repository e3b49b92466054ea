/* What a folder of the simulated chain already contains, so that it can be filled in several runs and measured in others. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "./scaleDatabase.ts";

/** What an index contains once it is complete. */
export interface FillPlan {
  engine: Engine;
  /** ERC-20 transfers, and those of them that the indexer's writer adds. */
  rows: number;
  written: number;
}

/** Durations of all runs together, in s. */
interface Durations {
  generated: number;
  written: number;
}

interface SavedProgress {
  plan: FillPlan;
  seconds: Durations;
  isComplete: boolean;
}

const DEFAULTS: FillPlan = { engine: "sqlite", rows: 1_000_000, written: 50_000 };

/** The progress of filling an index, in a file of its folder if it has one. */
export class FillProgress {
  readonly plan: FillPlan;
  readonly isResumed: boolean;
  readonly #path: string | undefined;
  readonly #seconds: Durations;
  #isComplete: boolean;

  /** Continues with the plan of the folder. Throws Error if another one is requested. */
  constructor(requested: Partial<FillPlan>, folder?: string) {
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
    this.#path = folder === undefined ? undefined : join(folder, "progress.json");
    const saved: SavedProgress | undefined =
      this.#path !== undefined && existsSync(this.#path)
        ? JSON.parse(readFileSync(this.#path, "utf8"))
        : undefined;
    this.plan = saved?.plan ?? { ...DEFAULTS, ...requested };
    this.isResumed = saved !== undefined;
    this.#seconds = saved?.seconds ?? { generated: 0, written: 0 };
    this.#isComplete = saved?.isComplete ?? false;
    const { engine = this.plan.engine, rows = this.plan.rows, written = this.plan.written } = requested;
    if (engine !== this.plan.engine || rows !== this.plan.rows || written !== this.plan.written)
      throw new Error(`${folder} contains another index: ${JSON.stringify(this.plan)}`);
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  get seconds(): Readonly<Durations> {
    return this.#seconds;
  }

  add(step: keyof Durations, seconds: number): void {
    this.#seconds[step] += seconds;
    this.#save();
  }

  complete(): void {
    this.#isComplete = true;
    this.#save();
  }

  #save(): void {
    if (this.#path === undefined) return;
    const saved: SavedProgress = {
      plan: this.plan,
      seconds: this.#seconds,
      isComplete: this.#isComplete,
    };
    writeFileSync(this.#path, `${JSON.stringify(saved, undefined, 2)}\n`);
  }
}
