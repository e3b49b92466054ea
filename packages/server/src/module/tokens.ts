import { type Logger, token } from "@purse/kernel";
import type { Cloud } from "../cloud/index.ts";
import type { Config } from "../config/loadConfig.ts";
import type { EventBus } from "../core/eventBus.ts";
import type { LogBuffer } from "../core/logBuffer.ts";
import type { AssertAllowed } from "../data/objects/keywordDenylist.ts";
import type { Objects } from "../data/objects/objects.ts";
import type { Schemas } from "../data/schema/schemas.ts";
import type { StudioClasses } from "../data/schema/studioClasses.ts";
import type { Store } from "../database/store.ts";
import type { Metrics } from "../monitoring/metrics.ts";

/** The log of the server. */
export const LOG = token<Logger>("log");
/** The last lines of the log, without secrets. */
export type LogLines = Pick<LogBuffer, "lines" | "onLine">;
export const LOG_LINES = token<LogLines>("logLines");
/** Tells the operator of an error that no request receives. */
export const REPORT = token<(error: unknown, activity: string) => void>("report");
/** What lower parts of the server tell higher ones. */
export const EVENTS = token<EventBus>("events");
/** Settings that several features use. */
export type SharedSettings = Pick<
  Config,
  "webhookKey" | "allowPrivateHooks" | "functionTimeoutMs" | "maxBodyBytes"
>;
export const SHARED_SETTINGS = token<SharedSettings>("sharedSettings");
/** The time of the server, in ms since the epoch. */
export const CLOCK = token<() => number>("clock");
/** Reads and writes objects with permissions, triggers and rules. */
export const OBJECTS = token<Objects>("objects");
/** The classes. */
export const SCHEMAS = token<Schemas>("schemas");
/** The database below the objects, without permissions and triggers. */
export const STORE = token<Store>("store");
/** Functions, triggers and jobs of the cloud code. */
export const CLOUD = token<Cloud>("cloud");
/** Throws 105 for keywords that `requestKeywordDenylist` denies. */
export const DENIED_KEYWORDS = token<AssertAllowed>("deniedKeywords");
/** The classes of the admin API. */
export const STUDIO_CLASSES = token<StudioClasses>("studioClasses");
/** Counts an event of an app by its name in the metrics. */
export const COUNT_APP_EVENT = token<Metrics["countEvent"]>("countAppEvent");
