import type { Config } from "../config/loadConfig.ts";
import { type AuthContext, internalRequest } from "../core/authContext.ts";
import type { EventBus } from "../core/eventBus.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import type { VerifyMasterKey } from "../core/http/masterKey.ts";
import type { UnsentBytes } from "../core/limits/unsentBytes.ts";
import type { Logger } from "../core/logger.ts";
import { compileRegex } from "../core/regex.ts";
import type { createObjects } from "../data/objects/index.ts";
import type { LiveTriggers } from "../data/objects/liveTriggers.ts";
import type { Store } from "../database/store.ts";
import { type ChangeFeed, createLocalFeed } from "./changeFeed.ts";
import { createLiveQueryServer, type LiveQueryServer } from "./liveQueryServer.ts";
import { SharedFeed } from "./sharedFeed.ts";

export interface LiveQueriesDependencies {
  config: Config;
  store: Store;
  objects: ReturnType<typeof createObjects>;
  triggers: LiveTriggers;
  events: EventBus;
  verifyMasterKey: VerifyMasterKey;
  clientAddressOf: ClientAddressOf;
  authenticateSession(sessionToken: string): Promise<AuthContext>;
  unsent: UnsentBytes;
  logger: Logger;
}

/** Opens the feed of changes, shared by all processes if the database has a change log, and the server of live queries. */
export function openLiveQueries(dependencies: LiveQueriesDependencies): {
  live: LiveQueryServer;
  feed: ChangeFeed;
} {
  const { config, store, objects, events, verifyMasterKey, logger } = dependencies;
  const { changeLog, subscribe } = store;
  const feed = changeLog
    ? new SharedFeed({ changeLog, subscribeToNotifications: subscribe, logger, clock: store.now })
    : createLocalFeed(events);
  const { liveSocketsPerAddress } = config;
  const live = createLiveQueryServer({
    appId: config.appId,
    isMasterKey: (key, ip) => verifyMasterKey(key, ip) !== undefined,
    clientAddressOf: dependencies.clientAddressOf,
    authenticateSession: dependencies.authenticateSession,
    feed,
    triggers: dependencies.triggers,
    serializer: objects.serializer,
    readCondition: objects.readCondition,
    canFind: (auth, className, where) => {
      try {
        objects.authorizeFind(internalRequest(auth), className, where);
        return true;
      } catch {
        return false;
      }
    },
    regex: compileRegex,
    unsent: dependencies.unsent,
    logger,
    limits: {
      maxSocketsPerAddress: liveSocketsPerAddress,
      // As many as its sockets might have if each subscribed to a few queries.
      maxSubscriptionsPerAddress: liveSocketsPerAddress * 10,
    },
  });
  events.on("session.revoked", live.sessionsChanged);
  return { live, feed };
}
