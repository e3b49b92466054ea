import type { Socket } from "node:net";

/** How far apart connections must have been opened to be told apart, in ms. */
const STEP_MS = 1_000;

/**
 * Returns a function that gives connections that were opened at about the same time the same number, where "opened" is when
 * it is first asked. Behind one address may be many people: what somebody opens at once then takes turns with what others
 * have open. `now` is a time in ms.
 */
export function createConnectionAges(now = () => performance.now()): (socket: Socket) => number {
  const ages = new WeakMap<Socket, number>();
  return (socket) => {
    const known = ages.get(socket);
    if (known !== undefined) return known;
    const age = Math.floor(now() / STEP_MS);
    ages.set(socket, age);
    return age;
  };
}
