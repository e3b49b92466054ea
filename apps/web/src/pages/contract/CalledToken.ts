import { createContext } from "react";

/** The token of a contract; undefined if the contract is not a token. */
export const CalledToken = createContext<{ decimals: number; symbol: string } | undefined>(undefined);
