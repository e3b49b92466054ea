import { token } from "@purse/kernel";
import type { Migrations } from "./migrations.ts";

/** The data steps of the application, which run before the server starts. */
export const MIGRATIONS = token<Pick<Migrations, "run">>("migrations");
