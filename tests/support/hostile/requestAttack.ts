import type { JsonObject } from "@purse/protocol";
import type { Random } from "../random.ts";
import type { Attack } from "./attack.ts";
import { enveloped, type HostileRequest, type Target } from "./target.ts";

export const repeat = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
export const TEXT_TYPE = { "Content-Type": "text/plain" };

export interface RequestAttack {
  generator: string;
  isShort?: boolean;
  /** Whether the requests are sent concurrently; otherwise sequentially. */
  isConcurrent?: boolean;
  make(target: Target, random: Random): HostileRequest | HostileRequest[] | Promise<HostileRequest[]>;
}

/** `prepare` creates what all of them need on the server. */
export function attacksBy(
  route: string,
  sent: readonly RequestAttack[],
  prepare?: Attack["prepare"],
): Attack[] {
  return sent.map(({ generator, isShort = true, isConcurrent = false, make }) => ({
    generator,
    route,
    isShort,
    ...(prepare && { prepare }),
    run: async (target, random) => {
      const built = await make(target, random);
      const requests = Array.isArray(built) ? built : [built];
      if (isConcurrent) return Promise.all(requests.map((each) => target.send(each)));
      const statuses: number[] = [];
      for (const each of requests) statuses.push(await target.send(each));
      return statuses;
    },
  }));
}

/** A save without an account. */
export const save =
  (fields: JsonObject) =>
  (target: Target): HostileRequest => ({
    path: "/server/classes/Hostile",
    headers: TEXT_TYPE,
    body: enveloped(target, fields),
  });
export const pointer = (i: number) => ({ __type: "Pointer", className: `C${i % 500}`, objectId: `o${i}` });
