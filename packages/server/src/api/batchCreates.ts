import type { RequestContext } from "../core/authContext.ts";
import type { ApiReply } from "../core/http/apiRoute.ts";
import type { Objects, PreparedCreate, SaveReply } from "../data/objects/objects.ts";
import { chargedErrorReply, chargeSaved } from "./chargedReplies.ts";

export interface BatchCreatesOptions {
  request: RequestContext;
  createEach: Objects["createEach"];
  /** Where the replies are stored, by the index of the request in its batch. */
  replies: ApiReply[];
  /** Called with errors whose details clients do not see. */
  report(error: unknown): void;
}

/** The creates of a batch that wait to be executed as one job. */
export class BatchCreates {
  readonly #options: BatchCreatesOptions;
  #prepared: PreparedCreate[] = [];
  #indexes: number[] = [];

  constructor(options: BatchCreatesOptions) {
    this.#options = options;
  }

  add(prepared: PreparedCreate, index: number): void {
    this.#prepared.push(prepared);
    this.#indexes.push(index);
  }

  /** Executes what was added. Never rejects; undefined if there is nothing to execute. */
  flush(): Promise<void> | undefined {
    if (this.#prepared.length === 0) return undefined;
    const { createEach, request, replies, report } = this.#options;
    const indexes = this.#indexes;
    const executed = createEach(this.#prepared, request);
    // Until the commit, only what the job needs is kept.
    this.#prepared = [];
    this.#indexes = [];
    const settle = (index: number, error: unknown) => {
      replies[index] = chargedErrorReply(error, report);
    };
    const settleSaved = (index: number, { status, body }: SaveReply) => {
      try {
        replies[index] = { status, body: chargeSaved(JSON.stringify(body)) };
      } catch (error) {
        settle(index, error);
      }
    };
    return executed.then(
      (outcomes) => {
        for (const [i, outcome] of outcomes.entries()) {
          const index = indexes[i] ?? 0;
          if (outcome instanceof Error) settle(index, outcome);
          else settleSaved(index, outcome);
        }
      },
      (error: unknown) => {
        for (const index of indexes) settle(index, error);
      },
    );
  }
}
