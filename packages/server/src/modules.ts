import type { Module } from "@purse/kernel";
import { globalConfig } from "./modules/globalConfig/index.ts";
import { purchases } from "./modules/purchases/index.ts";
import { push } from "./modules/push/index.ts";

/** The modules of the server. */
export const MODULES: readonly Module[] = [globalConfig, purchases, push];
