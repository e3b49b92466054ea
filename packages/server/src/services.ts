import type { ChainConfig } from "@purse/chain";
import { type Lifecycle, ModuleHost } from "@purse/kernel";
import { createHttpContext } from "./api/httpContext.ts";
import { openAuthService } from "./auth/openAuthService.ts";
import { Passwords } from "./auth/password.ts";
import { matchesDomain } from "./auth/validateSignInMessage.ts";
import { createChainData } from "./chainData/chainData.ts";
import { cloudSettings, createCloud } from "./cloud/index.ts";
import type { Config } from "./config/loadConfig.ts";
import { defaultSiweDomains } from "./config/siweDomains.ts";
import { DrainState } from "./core/drainState.ts";
import { EventBus } from "./core/eventBus.ts";
import { MOUNT_PATH } from "./core/http/paths.ts";
import { createRespondInScope } from "./core/http/respondInScope.ts";
import { openUnsentBytes } from "./core/limits/openUnsentBytes.ts";
import { createMemoryLimiter } from "./core/limits/rateLimiter.ts";
import { createSharedLimiter } from "./core/limits/sharedLimiter.ts";
import { createValkeyLimiter } from "./core/limits/valkeyLimiter.ts";
import type { LogBuffer } from "./core/logBuffer.ts";
import { Valkey } from "./core/valkey/valkey.ts";
import { createDataService } from "./data/dataService.ts";
import { FileUrls } from "./data/fileUrls.ts";
import { createKeywordCheck } from "./data/objects/keywordDenylist.ts";
import { openStudioClasses } from "./data/schema/studioClasses.ts";
import { openDatabase } from "./database/openDatabase.ts";
import { RESERVED_SECONDS, reserveForServers } from "./database/reserveForServers.ts";
import { addContributions } from "./module/addContributions.ts";
import {
  ACCOUNTS,
  CHAIN,
  CLOCK,
  CLOUD,
  COUNT_APP_EVENT,
  DENIED_KEYWORDS,
  DOCS_FOLDER,
  EVENTS,
  FILE_URLS,
  HTTP,
  IS_OWN_SITE,
  LEASES,
  LIVE_QUERIES,
  LOG,
  LOG_LINES,
  OBJECTS,
  PARSE_API,
  RATE_LIMITER,
  REPORT,
  RESPOND_IN_SCOPE,
  type Report,
  SCHEMAS,
  SHARED_SETTINGS,
  STORE,
  STUDIO,
  STUDIO_CLASSES,
} from "./module/tokens.ts";
import { FILES } from "./modules/files/token.ts";
import { IPFS } from "./modules/ipfs/token.ts";
import { JOBS } from "./modules/jobs/token.ts";
import { MAIL } from "./modules/mail/token.ts";
import { createMetrics } from "./monitoring/metrics.ts";
import { openAlerts } from "./monitoring/openAlerts.ts";
import { openMonitoring } from "./monitoring/openMonitoring.ts";
import type { ProcessGroup } from "./processes/index.ts";
import { openLiveQueries } from "./realtime/index.ts";

export interface ServiceDependencies {
  config: Config;
  /** The chains of the data API. */
  chains: ChainConfig[];
  /** The processes that serve the port together; undefined if it is one. */
  processes: ProcessGroup | undefined;
  /** The folder of the documentation; undefined if there is none. */
  docsDir: string | undefined;
  lifecycle: Lifecycle;
  logBuffer: LogBuffer;
  report: Report;
  /** Called when an essential component has failed permanently. */
  onFatal: ((error: Error) => void) | undefined;
}

export type Services = Awaited<ReturnType<typeof openServices>>;

/** Opens the services of a server, each after those that it uses. Nothing that they register runs before the start. */
export async function openServices(dependencies: ServiceDependencies) {
  const { config, chains, lifecycle, logBuffer, report, onFatal } = dependencies;
  const { logger } = logBuffer;
  const shared = { config, lifecycle, logger, report };
  const events = new EventBus(report);
  const drainState = new DrainState();
  const modules = new ModuleHost(config.modules, lifecycle);
  modules.provide(LOG, logger);
  modules.provide(LOG_LINES, logBuffer);
  modules.provide(REPORT, report);
  modules.provide(EVENTS, events);
  modules.provide(SHARED_SETTINGS, config);
  const http = createHttpContext(config, logger);
  const { publicUrl, verifyMasterKey, clientAddressOf } = http;
  modules.provide(HTTP, http);
  const metrics = createMetrics(dependencies.processes);
  lifecycle.onStop("metrics", () => metrics.close());

  const { valkeyUrl } = config;
  const valkey =
    valkeyUrl === undefined
      ? undefined
      : await lifecycle.open(
          "Valkey",
          () => Valkey.open({ url: valkeyUrl, prefix: `purse:${config.appId}:`, logger }),
          (opened) => opened.close(),
        );
  const database = await openDatabase({
    config,
    lifecycle,
    logger,
    instrument: (store) => metrics.instrumentStore(store),
    valkey,
    onFailed: onFatal,
  });
  const { store, leases } = database;
  modules.provide(CLOCK, store.now);
  modules.provide(STORE, store);
  const processLimiter = createMemoryLimiter({ clock: () => performance.now() });
  const databaseLimiter = store.rateLimits
    ? createSharedLimiter({ ...store.rateLimits, fallback: processLimiter })
    : processLimiter;
  const limiter = valkey ? createValkeyLimiter({ valkey, fallback: databaseLimiter }) : databaseLimiter;
  if (config.database.kind === "postgres") {
    const release = await reserveForServers({
      store,
      scope: "applicationId",
      value: "server",
      owner: config.appId,
      conflict: `Another server of this database has another application id, or had one within the last ${RESERVED_SECONDS} seconds: clients of one would be rejected by the other. Set PURSE_APP_ID and PURSE_MASTER_KEY to the same values for all servers`,
      report,
    });
    lifecycle.onStop("applicationId", release);
  }
  const fileUrls = new FileUrls({
    appId: config.appId,
    mountPath: MOUNT_PATH,
    publicUrl,
    filesUrl: config.filesUrl,
  });
  modules.provide(FILE_URLS, fileUrls);
  const ipfs = await modules.openFor(IPFS);
  const chain = createChainData({
    config,
    chains,
    ipfs: {
      uploadFolder: (folder) => ipfs.uploadFolder(folder, (bytes) => modules.get(FILES).reserveUpload(bytes)),
      fetchContent: ipfs.fetchContent,
    },
    logger,
  });
  lifecycle.onStop("chains", chain.stop);
  const mail = await modules.openFor(MAIL);

  const cloud = createCloud({
    config,
    settings: cloudSettings(config, publicUrl, MOUNT_PATH),
    events,
    logger,
    logLevel: config.logLevel,
    file: config.cloudFile,
    plugins: config.plugins,
    memoryMb: config.cloudMemoryMb,
    maxThreads: config.cloudWorkers ?? (config.compatibility === "parse" ? 1 : undefined),
    blockedMs: config.cloudBlockedMs,
    loadTimeoutMs: config.cloudLoadTimeoutMs,
    watchesFiles: config.environment === "development",
  });
  lifecycle.onStop("cloud code", () => cloud.stop());
  const assertAllowed = createKeywordCheck(config.requestKeywordDenylist);
  const data = createDataService({
    ...shared,
    store,
    events,
    triggers: cloud.triggers,
    fileUrls,
    limiter,
    assertAllowed,
  });
  const { schemas, objects } = data;
  const passwords = new Passwords({ concurrency: config.hashConcurrency, maxWaiting: config.hashQueue });
  const siweDomains =
    config.siweDomains ?? defaultSiweDomains(publicUrl, config.environment === "development");
  const auth = await lifecycle.start("accounts", () =>
    openAuthService({
      config,
      publicUrl,
      siweDomains,
      store,
      schemas,
      objects,
      triggers: cloud.triggers.auth,
      events,
      limiter,
      passwords,
      mail,
      chain,
      chains,
      logger,
    }),
  );
  for (const { name, run } of auth.functions) cloud.define(name, run);

  data.addRules([...auth.rules, ...modules.classes]);
  await lifecycle.start("classes", data.load);

  const studioClasses = await lifecycle.start("classes of the studio", () => openStudioClasses(store));
  const unsent = openUnsentBytes(config, logger);
  const { live, feed } = openLiveQueries({
    config,
    store,
    objects,
    triggers: cloud.live,
    events,
    verifyMasterKey,
    clientAddressOf,
    authenticateSession: auth.authenticateSession,
    unsent,
    logger,
  });
  lifecycle.onStop("live queries", live.stop);
  const respondInScope = createRespondInScope(clientAddressOf, {
    budget: database.replyMemory,
    maxAnswerBytes: config.maxAnswerBytes,
  });
  modules.provide(SCHEMAS, schemas);
  modules.provide(OBJECTS, objects);
  modules.provide(CLOUD, cloud);
  modules.provide(COUNT_APP_EVENT, metrics.countEvent);
  modules.provide(DENIED_KEYWORDS, assertAllowed);
  modules.provide(STUDIO_CLASSES, studioClasses);
  modules.provide(RESPOND_IN_SCOPE, respondInScope);
  modules.provide(ACCOUNTS, auth);
  modules.provide(LIVE_QUERIES, live);
  modules.provide(RATE_LIMITER, limiter);
  modules.provide(IS_OWN_SITE, (host) => siweDomains.some((allowed) => matchesDomain(host, allowed)));
  modules.provide(CHAIN, chain);
  modules.provide(LEASES, leases);
  modules.provide(DOCS_FOLDER, dependencies.docsDir);
  const provideStudio = modules.provideLater(STUDIO);
  const provideParseApi = modules.provideLater(PARSE_API);
  await modules.open();
  data.addRules(modules.opened.flatMap(({ contributions }) => contributions.rules ?? []));
  addContributions(modules.opened, { cloud, jobs: modules.get(JOBS), metrics });
  metrics.observeCloud(() => cloud.health());
  const workers = () =>
    [store.workers?.(), data.aggregationWorker.workers(), live.workers(), chain.indexer()].flatMap(
      (health) => health ?? [],
    );
  const monitoring = openMonitoring({
    ...shared,
    ...http,
    metrics,
    store,
    chain,
    live,
    feed,
    unsent,
    storedBytes: data.storedBytes,
    workers,
    leases: () => leases.standings(),
    valkey,
    drainState,
    moduleProblems: () => modules.opened.flatMap(({ contributions }) => contributions.problem?.() ?? []),
  });
  openAlerts({ config, events, chain, mailer: mail.mailer, lifecycle, report });
  return {
    drainState,
    unsent,
    http,
    limiter,
    metrics,
    valkey,
    database,
    chain,
    mail,
    cloud,
    data,
    passwords,
    auth,
    respondInScope,
    provideParseApi,
    provideStudio,
    modules,
    studioClasses,
    live,
    feed,
    monitoring,
  };
}
