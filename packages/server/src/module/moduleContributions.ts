import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { JsonObject, JsonValue } from "@purse/protocol";
import type { FastifyPluginAsync } from "fastify";
import type { FunctionCall } from "../core/functionCall.ts";
import type { ApiRoute, ParseEndpoint, StreamHandler } from "../core/http/apiRoute.ts";
import type { ClassRules } from "../data/objects/classRules.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";
import type { ModuleMetric } from "../monitoring/metrics.ts";
import type { StudioRoute } from "../studio/route.ts";

/** Work at fixed times. Of several processes, one does it each time. */
export interface ModuleSchedule {
  /** Unique in the module. */
  name: string;
  /** A cron expression in UTC: `0 3 * * *`. */
  cron: string;
  /** Resolves to a message for the list of jobs; undefined for none. What it rejects with is the message of a failure. */
  run(): Promise<string | undefined>;
}

/** The WebSockets of a path. */
export interface ModuleSockets {
  path: `/${string}`;
  /** Handles the upgrade of a connection. */
  upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Part of the Parse API whose bodies and responses are streams. */
interface ModuleStreams {
  /** One segment below the path of the Parse API: `/files`. */
  path: `/${string}`;
  handle: StreamHandler;
  /** Its endpoints, for the documentation. */
  endpoints: readonly ParseEndpoint[];
  /**
   * Routes for cloud code, inside the process and without streams. What follows the path is one segment for them, also if
   * it has slashes.
   */
  internalRoutes: readonly ApiRoute[];
}

declare module "@purse/kernel" {
  interface ModuleClass extends ClassRules {}

  interface ModuleContributions {
    /** Rules of its classes that need what is open, in place of those of `classes`. */
    rules?: readonly ClassRules[];
    /** Routes of the Parse API. */
    routes?: readonly ApiRoute<WriteRequest>[];
    streams?: readonly ModuleStreams[];
    /** Functions that clients call like those of cloud code, which may replace them. */
    functions?: readonly { name: string; run(call: FunctionCall): Promise<JsonValue> }[];
    /** Routes of the admin API. Called when an operator uses the studio first. */
    adminRoutes?(): Promise<readonly StudioRoute[]>;
    /** Routes of the HTTP server besides its APIs, for other protocols and webhooks of third parties. */
    http?: FastifyPluginAsync;
    /** The same for pages of any origin: with CORS headers, and JSON compressed. */
    publicHttp?: FastifyPluginAsync;
    /** WebSockets by path; it must not end with a slash. */
    sockets?: readonly ModuleSockets[];
    metrics?: readonly ModuleMetric[];
    schedules?: readonly ModuleSchedule[];
    /** What `/health` says of the module. */
    health?(): JsonValue;
    /** What does not work although the server does, as a sentence for `/ready`; undefined if everything does. */
    problem?(): string | undefined;
    /** Chains that it needs and that are not configured, for `/health`. */
    missingChains?(): readonly string[];
    /** Settings of the app at `/config.json`. */
    appConfig?: JsonObject;
  }
}
