import type { Attack } from "./attack.ts";
import { bodyAttacks } from "./bodies.ts";
import { frameAttacks } from "./frameAttacks.ts";
import { graphqlSocketAttacks } from "./graphqlSockets.ts";
import { mutationAttacks } from "./mutations.ts";
import { patternAttacks } from "./patterns.ts";
import { requestAttacks } from "./requests.ts";
import { socketAttacks } from "./sockets.ts";
import { cloudAttacks, wayAttacks } from "./wayAttacks.ts";

/** All attacks, in the order of execution. */
export function allAttacks(mutationRounds = 10): Attack[] {
  return [
    ...requestAttacks(),
    ...socketAttacks(),
    ...graphqlSocketAttacks(),
    ...frameAttacks(),
    ...mutationAttacks(mutationRounds),
    ...bodyAttacks(),
    ...patternAttacks(),
    ...wayAttacks(),
    ...cloudAttacks(),
  ];
}
