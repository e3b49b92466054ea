import { createContext } from "react";

/** The decimals of the contract's token; undefined if it is no token. */
export const TokenDecimals = createContext<number | undefined>(undefined);
