import type { IncomingMessage, ServerResponse } from "node:http";
import { join, relative } from "node:path";
import type { Passwords } from "../auth/password.ts";
import type { Config } from "../config.ts";
import type { BodyMemory } from "../http/bodyMemory.ts";
import type { ClientAddressOf } from "../http/clientAddress.ts";
import type { Logger } from "../observe/logger.ts";
import { Audit } from "./audit.ts";
import { Backups } from "./backups.ts";
import { BackupUploads } from "./backupUploads.ts";
import { ConfigHistory } from "./configHistory.ts";
import { createStudioDoor } from "./door.ts";
import { Operators } from "./operators.ts";
import { type Restart, Restores } from "./restores.ts";
import { json, type StudioRoute } from "./route.ts";
import { accessRoutes } from "./routes/access.ts";
import { backupRoutes } from "./routes/backups.ts";
import { type ChainParts, chainRoutes } from "./routes/chains.ts";
import { type CodeParts, codeRoutes } from "./routes/code.ts";
import { type DataParts, dataRoutes } from "./routes/data.ts";
import { type FileParts, fileRoutes } from "./routes/files.ts";
import { type MailParts, mailRoutes } from "./routes/mails.ts";
import { messageRoutes } from "./routes/messages.ts";
import { type OverviewParts, overviewRoutes } from "./routes/overview.ts";
import { type PermissionParts, permissionRoutes } from "./routes/permissions.ts";
import { schemaRoutes } from "./routes/schema.ts";
import { StudioSessions } from "./sessions.ts";
import { SignIn } from "./signIn.ts";
import { openStudioClasses } from "./studioClasses.ts";

export interface StudioParts
  extends Omit<DataParts, "maxLimit">,
    Omit<CodeParts, "pluginFiles">,
    ChainParts,
    FileParts,
    Pick<MailParts, "mailer" | "mails" | "outbox">,
    OverviewParts,
    Pick<PermissionParts, "gateStandingsOf"> {
  config: Config;
  bodyMemory: BodyMemory;
  /** Stops the server, does something meanwhile, and starts it again; undefined where it cannot. */
  restart: Restart | undefined;
  passwords: Passwords;
  serverUrlOf(message: IncomingMessage): string;
  clientAddressOf: ClientAddressOf;
  newRequestId(): string;
  /** Milliseconds since the epoch. */
  clock(): number;
  log: Logger;
  report(error: unknown, requestId: string): void;
}

/** The operator's own API, `/studio/api`: its own accounts and sessions, the pipeline of everybody else. */
export interface Studio {
  /** Answers a request; `path` is below the mount path. */
  handle(message: IncomingMessage, response: ServerResponse, path: string, search: string): Promise<void>;
  /** Where there is no operator yet, tells the log how the first one is set up. `url` is where the server is. */
  start(url: string): Promise<void>;
  stop(): Promise<void>;
}

export async function createStudio(parts: StudioParts): Promise<Studio> {
  const { store, clock, limiter, log, config } = parts;
  const own = { store, classes: await openStudioClasses(store), clock };
  const operators = new Operators({ ...own, passwords: parts.passwords });
  const sessions = new StudioSessions(own);
  const audit = new Audit(own);
  const signIn = new SignIn({ ...own, operators, sessions, limiter });
  const stopping = new AbortController();
  const history = new ConfigHistory(own);
  const backups = new Backups(config.database, join(config.dataDir, "backups"), log);
  const restores = new Restores({ backups, restart: parts.restart, log });
  const routes: StudioRoute[] = [
    { method: "GET", path: "/routes", needs: "session", handle: async () => json({ results: rows() }) },
    ...accessRoutes({ ...own, operators, sessions, limiter, signIn, audit, appName: config.appName }),
    ...dataRoutes({ ...parts, maxLimit: config.limits.maxLimit }),
    ...schemaRoutes(parts),
    ...permissionRoutes({
      ...parts,
      protectedFields: config.protectedFields,
      security: { config, operators: () => operators.list() },
    }),
    ...codeRoutes({ ...parts, pluginFiles: (config.plugins ?? []).map(shownPath) }),
    ...messageRoutes({ ...parts, history }),
    ...mailRoutes({ ...parts, appName: config.appName }),
    ...chainRoutes(parts),
    ...fileRoutes(parts),
    ...overviewRoutes(parts),
    ...backupRoutes({ backups, uploads: new BackupUploads(backups), restores }),
  ];
  const rows = () => routes.map(({ method, path, needs }) => ({ method, path, needs }));
  return {
    async stop() {
      stopping.abort();
      await backups.stop();
    },
    handle: createStudioDoor({
      ...parts,
      routes,
      operators,
      sessions,
      audit,
      stopping: stopping.signal,
      maxBodyBytes: config.limits.maxBodyBytes,
    }),
    async start(url) {
      await restores.tell(audit);
      const code = await signIn.setUpCode();
      if (code === undefined) return;
      // Behind the #, where no server, proxy or referrer gets to see it.
      log.info(
        `set up the studio at ${url}/studio#setup=${code} within a day, or: npm run purse -- operator add`,
      );
    },
  };
}

/** A file as people who started the server here would name it. */
function shownPath(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith("..") ? file : near;
}
