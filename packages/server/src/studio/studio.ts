import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import type { FastifyPluginAsync } from "fastify";
import type { RelyingParty } from "../auth/passkeys/relyingParty.ts";
import type { Passwords } from "../auth/password.ts";
import type { BodyMemory } from "../core/http/bodyMemory.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import type { Logger } from "../core/logger.ts";
import { PROGRAM } from "../core/programName.ts";
import type { ServerSchedules } from "../core/schedule.ts";
import type { StudioClasses } from "../data/schema/studioClasses.ts";
import { backupMethodOf } from "../dataTransfer/backupMethod.ts";
import type { StudioOperator } from "../studioApi/access.ts";
import { createAdminApi } from "./adminApi.ts";
import { Audit } from "./audit.ts";
import { BackupSchedule } from "./backupSchedule.ts";
import { Backups } from "./backups.ts";
import { OperatorPasskeys } from "./operatorPasskeys.ts";
import { Operators } from "./operators.ts";
import { type Restart, Restores } from "./restores.ts";
import type { StudioRoute } from "./route.ts";
import { SavedViews } from "./savedViews.ts";
import { StudioSessions } from "./sessions.ts";
import { SignIn } from "./signIn.ts";
import type { StudioRoutesDependencies, StudioServices } from "./studioRoutes.ts";

export interface StudioDependencies extends Omit<StudioRoutesDependencies, keyof StudioServices> {
  schedules: ServerSchedules;
  classes: StudioClasses;
  /** Opens the routes of modules. */
  moduleRoutes(): Promise<StudioRoute[]>;
  bodyMemory: BodyMemory;
  /** Restarts the server with an action in between; undefined if that is not possible. */
  restart: Restart | undefined;
  passwords: Passwords;
  /** The studio as passkeys know it. */
  passkeyParty: RelyingParty;
  serverUrlOf(message: IncomingMessage): string;
  clientAddressOf: ClientAddressOf;
  logger: Logger;
  reportError(error: unknown, requestId: string): void;
}

/** The admin API, `/studio/api`, with accounts and sessions of its own. */
export interface Studio {
  /** The admin API. */
  plugin: FastifyPluginAsync;
  audit: Audit;
  /** Returns the operator of a valid access token, unless the operator is disabled. */
  findOperator(accessToken: string): Promise<(StudioOperator & { tokenId: string }) | undefined>;
  /** Reads and writes what it needs before the first request. */
  start(): Promise<void>;
  /** Logs how to set up the first operator if there is none. `url` is where people open the apps. */
  logSetup(url: string): void;
  operators(): Promise<StudioOperator[]>;
  stop(): Promise<void>;
}

export function createStudio(dependencies: StudioDependencies): Studio {
  const { store, clock, classes, limiter, logger, config } = dependencies;
  const base = { store, classes, clock };
  const operators = new Operators({ ...base, passwords: dependencies.passwords });
  const sessions = new StudioSessions(base);
  const audit = new Audit(base);
  const passkeys = new OperatorPasskeys({
    ...base,
    party: dependencies.passkeyParty,
    challengeSeconds: config.passkeyChallengeSeconds,
  });
  const signIn = new SignIn({ ...base, operators, sessions, passkeys, limiter });
  const stopController = new AbortController();
  let setupCode: string | undefined;
  const views = new SavedViews(base);
  const { database, dataDir, backupsStore } = config;
  const folder = join(dataDir, "backups");
  const backups = new Backups({ method: backupMethodOf(database, folder), folder, backupsStore, logger });
  const restores = new Restores({ backups, restart: dependencies.restart, logger });
  const { schedules } = dependencies;
  const backupSchedule = new BackupSchedule({
    ...base,
    backups,
    schemaOf: (className) => dependencies.schemas.require(className),
    onChange: () => schedules.schedulesChanged(),
  });
  schedules.addSchedules(() => backupSchedule.load());
  const services = {
    ...base,
    operators,
    sessions,
    passkeys,
    signIn,
    audit,
    views,
    backups,
    backupSchedule,
    restores,
  };
  return {
    async stop() {
      stopController.abort();
      await backups.stop();
    },
    audit,
    async findOperator(accessToken) {
      const token = await sessions.findAccessToken(accessToken);
      const operator = token && (await operators.get(token.operatorId));
      return token && operator && !operator.isDisabled ? { ...operator, tokenId: token.id } : undefined;
    },
    operators: () => operators.list(),
    plugin: createAdminApi({
      ...dependencies,
      // The routes with their schemas take time and memory, so they are created only when the studio is opened.
      async openRoutes() {
        const { createStudioRoutes } = await import("./studioRoutes.ts");
        return createStudioRoutes({ ...dependencies, ...services }, await dependencies.moduleRoutes());
      },
      operators,
      sessions,
      audit,
      stopSignal: stopController.signal,
      maxBodyBytes: config.maxBodyBytes,
      maxAnswerBytes: config.maxAnswerBytes,
    }),
    async start() {
      await restores.recordInAudit(audit);
      setupCode = await signIn.createSetupCode();
    },
    logSetup(url) {
      if (setupCode === undefined) return;
      // The code is in the fragment, which is not sent to servers, proxies or as referrer.
      logger.info(
        `set up the studio at ${url}/studio#setup=${setupCode} within a day, or: ${PROGRAM} operator add`,
      );
    },
  };
}
