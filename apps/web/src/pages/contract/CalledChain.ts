import { createContext } from "react";

/** The hex id of the chain whose contract is called; undefined outside of a contract. */
export const CalledChain = createContext<string | undefined>(undefined);
