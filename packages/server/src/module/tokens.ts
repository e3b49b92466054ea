import type { IncomingMessage } from "node:http";
import type { ChainService } from "@purse/chain";
import { type Logger, token } from "@purse/kernel";
import type { AuthService } from "../auth/index.ts";
import type { Cloud } from "../cloud/index.ts";
import type { Config } from "../config/loadConfig.ts";
import type { EventBus } from "../core/eventBus.ts";
import type { BodyMemory } from "../core/http/bodyMemory.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import type { VerifyMasterKey } from "../core/http/masterKey.ts";
import type { ParseApiCalls } from "../core/http/parseApiCalls.ts";
import type { RespondInScope } from "../core/http/respondInScope.ts";
import type { RateLimiter } from "../core/limits/rateLimiter.ts";
import type { LogBuffer } from "../core/logBuffer.ts";
import type { FileUrls } from "../data/fileUrls.ts";
import type { AssertAllowed } from "../data/objects/keywordDenylist.ts";
import type { Objects } from "../data/objects/objects.ts";
import type { Schemas } from "../data/schema/schemas.ts";
import type { StudioClasses } from "../data/schema/studioClasses.ts";
import type { LeaseManager } from "../database/leases/leaseManager.ts";
import type { Store } from "../database/store.ts";
import type { Metrics } from "../monitoring/metrics.ts";
import type { LiveQueryServer } from "../realtime/index.ts";
import type { Studio } from "../studio/studio.ts";

/** The log of the server. */
export const LOG = token<Logger>("log");
/** The last lines of the log, without secrets. */
export type LogLines = Pick<LogBuffer, "lines" | "onLine">;
export const LOG_LINES = token<LogLines>("logLines");
/** Tells the operator of an error that no request receives. */
export type Report = (error: unknown, activity: string, requestId?: string) => void;
export const REPORT = token<Report>("report");
/** What lower parts of the server tell higher ones. */
export const EVENTS = token<EventBus>("events");
/** Settings that several features use. */
export type SharedSettings = Pick<
  Config,
  | "accountLockout"
  | "allowClientClassCreation"
  | "appId"
  | "appName"
  | "mail"
  | "smtpUrl"
  | "database"
  | "filesStore"
  | "filesUrl"
  | "host"
  | "masterKey"
  | "masterKeyIps"
  | "metricsIps"
  | "passwordPolicy"
  | "readOnlyMasterKey"
  | "serverUrl"
  | "allowPrivateMetadata"
  | "webhookKey"
  | "allowPrivateHooks"
  | "functionTimeoutMs"
  | "maxBodyBytes"
  | "maxAnonymousBodyBytes"
  | "maxAnswerBytes"
  | "maxUploadSize"
  | "defaultLimit"
  | "maxLimit"
>;
export const SHARED_SETTINGS = token<SharedSettings>("sharedSettings");
/** What is known of the server's URL and of the clients of all HTTP APIs. */
export interface HttpFacts {
  /** URL of the Parse API: as configured, or else derived from host and port. */
  publicUrl: string;
  /** Returns the URL of the Parse API that the client used. */
  serverUrlOf(message: IncomingMessage): string;
  clientAddressOf: ClientAddressOf;
  verifyMasterKey: VerifyMasterKey;
  /** The memory for the bodies of all open requests. */
  bodyMemory: BodyMemory;
}
export const HTTP = token<HttpFacts>("http");
/** Responds to a request within the limits of what is read for one response. */
export const RESPOND_IN_SCOPE = token<RespondInScope>("respondInScope");
/** The Parse API, which is open once the server has started. */
export const PARSE_API = token<() => ParseApiCalls>("parseApi");
/** Users, sessions and roles. */
export const ACCOUNTS = token<AuthService>("accounts");
/** The URLs of files and of IPFS content. */
export const FILE_URLS = token<FileUrls>("fileUrls");
/** Live queries. */
export const LIVE_QUERIES = token<LiveQueryServer>("liveQueries");
/** The chains and what is indexed of them. */
export const CHAIN = token<ChainService>("chain");
/** Leases of work that one process does. */
export const LEASES = token<Pick<LeaseManager, "createHolder">>("leases");
/** Whether a site (its host, with a non-default port) belongs to the operator. */
export const IS_OWN_SITE = token<(host: string) => boolean>("isOwnSite");
/** Rate limits, which all processes share. */
export const RATE_LIMITER = token<RateLimiter>("rateLimiter");
/** The operators, also by their access tokens, and the audit log. */
export type StudioAccounts = Pick<Studio, "audit" | "findOperator" | "operators">;
/** The studio, which is open once the server has started. */
export const STUDIO = token<() => StudioAccounts>("studio");
/** The folder of the documentation; undefined if there is none. */
export const DOCS_FOLDER = token<string | undefined>("docsFolder");
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
