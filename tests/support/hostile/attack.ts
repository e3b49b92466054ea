import type { Random } from "../random.ts";
import type { Target } from "./target.ts";

/** Hostile input for one route of a server. */
export interface Attack {
  generator: string;
  route: string;
  /** Whether it is part of the short run, with the tests. */
  isShort?: boolean;
  /** Whether its statuses are those of other clients, who have to be answered with success. */
  answersOthers?: boolean;
  /** What it needs on the server, which is not measured. */
  prepare?(target: Target): Promise<unknown>;
  /** Sends it and returns the statuses, or the close codes of sockets. */
  run(target: Target, random: Random): Promise<number[]>;
}
