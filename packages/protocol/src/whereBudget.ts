import {
  MAX_IN_OPERANDS,
  MAX_PATTERN_SIZE,
  MAX_PATTERN_TEXT,
  MAX_PATTERNS,
  MAX_SUB_QUERIES,
  MAX_WHERE_CONDITIONS,
} from "./limits.ts";
import { patternSize } from "./patternSize.ts";
import { invalid } from "./queryErrors.ts";

/** Remaining budget of a where, including everything nested in it. */
export class WhereBudget {
  #conditions = MAX_WHERE_CONDITIONS;
  #operands = MAX_IN_OPERANDS;
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
