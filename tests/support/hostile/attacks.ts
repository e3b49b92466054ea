import type { Attack } from "./attack.ts";
import { bodyAttacks } from "./bodies.ts";
import { mutationAttacks } from "./mutations.ts";
import { patternAttacks } from "./patterns.ts";
import { requestAttacks } from "./requests.ts";
import { socketAttacks } from "./sockets.ts";

/** Everything hostile that there is, in the order in which it is sent. */
export function allAttacks(mutationRounds = 10): Attack[] {
  return [
    ...requestAttacks(),
    ...socketAttacks(),
    ...mutationAttacks(mutationRounds),
    ...bodyAttacks(),
    ...patternAttacks(),
  ];
}
