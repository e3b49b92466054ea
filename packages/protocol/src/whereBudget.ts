import {
  MAX_COMPARED_VALUES,
  MAX_IN_OPERANDS,
  MAX_PATTERN_SIZE,
  MAX_PATTERN_TEXT,
  MAX_PATTERNS,
  MAX_SUB_QUERIES,
  MAX_WHERE_CONDITIONS,
} from "./limits.ts";
import { patternSize } from "./patternSize.ts";
import { invalid } from "./queryErrors.ts";
import type { JsonValue } from "./wireValues.ts";

/** Remaining budget of a where, including everything nested in it. */
export class WhereBudget {
  #conditions = MAX_WHERE_CONDITIONS;
  #operands = MAX_IN_OPERANDS;
  #comparedValues = MAX_COMPARED_VALUES;
  #subQueries = MAX_SUB_QUERIES;
  #patterns = MAX_PATTERNS;
  #patternText = MAX_PATTERN_TEXT;
  #patternSize = MAX_PATTERN_SIZE;

  useConditions(count: number): void {
    this.#conditions -= count;
    if (this.#conditions < 0) throw invalid(`a where can hold ${MAX_WHERE_CONDITIONS} conditions at most`);
  }

  useOperands(count: number): void {
    this.#operands -= count;
    if (this.#operands < 0) throw invalid(`a where takes ${MAX_IN_OPERANDS} values in lists at most`);
  }

  /** Counts what is in an object or array that a condition compares with. */
  useCompared(value: JsonValue): void {
    if (typeof value !== "object" || value === null) return;
    const values = Object.values(value);
    this.#comparedValues -= values.length;
    if (this.#comparedValues < 0) {
      throw invalid(
        `the objects and arrays that a where compares with take ${MAX_COMPARED_VALUES} values at most`,
      );
    }
    for (const each of values) this.useCompared(each);
  }

  useSubQuery(): void {
    this.#subQueries -= 1;
    if (this.#subQueries < 0) throw invalid(`a where can hold ${MAX_SUB_QUERIES} sub-queries at most`);
  }

  usePattern(source: string): void {
    this.#patterns -= 1;
    this.#patternText -= source.length;
    if (this.#patterns < 0) throw invalid(`a where can hold ${MAX_PATTERNS} patterns at most`);
    if (this.#patternText < 0) {
      throw invalid(`the patterns of a where take ${MAX_PATTERN_TEXT} characters at most`);
    }
    this.#patternSize -= patternSize(source);
    if (this.#patternSize < 0)
      throw invalid("the repetitions in the patterns of a where make them too large");
  }
}
