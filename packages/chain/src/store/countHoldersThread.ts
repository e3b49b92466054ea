import { serveRequests } from "@purse/workers";
import { countHolders, type HolderChanges } from "./countHolders.ts";

/** Worker thread that counts holders, so that the request loop does not add up hundreds of thousands of amounts. */
serveRequests<HolderChanges, number[]>({ handle: countHolders });
