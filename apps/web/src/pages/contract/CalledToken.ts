import { createContext } from "react";

/** The token that a contract is; undefined if it is none. */
export const CalledToken = createContext<{ decimals: number; symbol: string } | undefined>(undefined);
