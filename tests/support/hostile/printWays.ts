/*
 * Prints the ways into a server as JSON: all, those of operators, and the status that each way which a row excuses has for
 * strangers. A process of its own, as the modules of tests are resolved in another way than those of a server.
 */
import { openRegisteredWays } from "./registeredWays.ts";
import { excusedWays } from "./ways.ts";

const { ways, operatorWays, sendAsStranger, close } = await openRegisteredWays();
const statuses = await Promise.all(
  [...operatorWays, ...excusedWays()].map(async (way) => [way, await sendAsStranger(way)] as const),
);
await close();
console.log(JSON.stringify({ ways, operatorWays: [...operatorWays], statuses }));
