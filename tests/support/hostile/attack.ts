import type { Random } from "./random.ts";
import type { Target } from "./target.ts";

/** Something hostile that is sent to a server by one of its routes. */
export interface Attack {
  generator: string;
  route: string;
  /** Whether it is part of the short form, which runs with the tests. */
  isShort?: boolean;
  /** Sends it and answers the statuses, or what closed a socket. */
  run(target: Target, random: Random): Promise<number[]>;
}
