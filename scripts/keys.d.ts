import { type Store } from "@purse/server";
/** Carries out `keys …`; answers what is to be said. Throws Error for what cannot be done. */
export declare function changeKeys(
  store: Store,
  [action, which, ...others]: string[],
  values: {
    name?: string;
    limit?: string;
    key?: string;
  },
): Promise<string>;
