import { type Config, type DescribedClass, type Store } from "@purse/server";
/** The classes of a store. */
export declare function classesOfStore(store: Store): Promise<DescribedClass[]>;
/** The classes of a running server, asked with the master key. Throws Error where it does not tell them. */
export declare function classesOfServer(
  url: string,
  { appId, masterKey }: Pick<Config, "appId" | "masterKey">,
): Promise<DescribedClass[]>;
