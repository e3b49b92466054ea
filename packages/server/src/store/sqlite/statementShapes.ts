import { StatementMemory } from "../statementMemory.ts";
import { isCostly } from "./checkpoint.ts";

/** Statements that take longer than this on average do not run on the request loop, in ms. */
const INLINE_MS = 1.5;
/** Statements that take longer than this on average are slow ones from the beginning, in ms. */
const SLOW_FROM_MS = 25;
/** Longer statements have more conditions than are tested between two checkpoints in no time. */
const MAX_INLINE_CHARS = 4_000;

/** What is known of a statement, by its text: whatever its parameters are. */
export class StatementShape {
  /** What it calls may be expensive: it runs in the threads for slow statements. */
  readonly isCostly: boolean;
  readonly #isShort: boolean;
  #averageMs: number | undefined;

  constructor(sql: string) {
    this.isCostly = isCostly(sql);
    this.#isShort = sql.length <= MAX_INLINE_CHARS;
  }

  get isKnown(): boolean {
    return this.#averageMs !== undefined;
  }

  /** Whether it may be tried on the request loop, within bounds. */
  get canRunInline(): boolean {
    return this.#averageMs !== undefined && this.#averageMs <= INLINE_MS && this.#isShort && !this.isCostly;
  }

  get isSlow(): boolean {
    return this.isCostly || (this.#averageMs ?? 0) > SLOW_FROM_MS;
  }

  /** Notes how long it took. */
  learn(ms: number): void {
    this.#averageMs = this.#averageMs === undefined ? ms : this.#averageMs * 0.8 + ms * 0.2;
  }

  /** It was not quick enough for the request loop: it has to prove anew that it is. */
  demote(): void {
    this.#averageMs = 2 * INLINE_MS;
  }
}

export class StatementShapes {
  readonly #shapes = new StatementMemory<StatementShape>();

  of(sql: string): StatementShape {
    const known = this.#shapes.get(sql);
    if (known) return known;
    const shape = new StatementShape(sql);
    this.#shapes.set(sql, shape);
    return shape;
  }
}
