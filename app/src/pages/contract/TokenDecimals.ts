import { createContext } from "react";

/** By how many digits the point of the contract's token is moved; undefined where it is no token. */
export const TokenDecimals = createContext<number | undefined>(undefined);
