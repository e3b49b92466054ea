import { type Store } from "@purse/server";
/** Carries out `operator …`; answers what is to be said. Throws Error for what cannot be done. */
export declare function changeOperators(
  store: Store,
  [action, username, ...others]: string[],
  values: {
    role?: string;
    password?: string;
  },
): Promise<string>;
