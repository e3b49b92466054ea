import { mkdir, stat } from "node:fs/promises";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type ChainConfig, createChainService } from "@purse/chain";
import type { JsonObject } from "@purse/protocol";
import { apiKeyRules } from "./apiKeys/apiKeyRules.ts";
import { ApiKeys } from "./apiKeys/apiKeys.ts";
import { AccountLimits } from "./auth/accountLimits.ts";
import { createAuthService } from "./auth/index.ts";
import { onWalletsLinked } from "./auth/linkedWallets.ts";
import { Passwords } from "./auth/password.ts";
import { matchesDomain } from "./auth/siwe.ts";
import type { AuthContext, RequestContext } from "./authContext.ts";
import { ChainEvents } from "./chainEvents/index.ts";
import { type Cloud, cloudSettings, createCloud } from "./cloud/index.ts";
import type { NamesConfig } from "./config/names.ts";
import { defaultSiweDomains } from "./config/siweDomains.ts";
import { walletServiceSources } from "./config/walletServices.ts";
import type { Config } from "./config.ts";
import { openStore } from "./database/openStore.ts";
import { compileRegex } from "./database/regex.ts";
import { lockDatabase } from "./database/sqlite/databaseLock.ts";
import {
  cloudFileRoutes,
  createFileReader,
  createFileRoutes,
  Downloads,
  dispatchWithFiles,
  Files,
  FileUrls,
  openFileStore,
  openResumableUploads,
  UploadQuota,
} from "./files/index.ts";
import { aggregateRoute } from "./http/aggregateRoute.ts";
import type { Dispatch } from "./http/api.ts";
import { createApiKeyGuard, type DataApiRequest } from "./http/apiKeyGuard.ts";
import { createApp, DATA_PATH, MOUNT_PATH, ok, send } from "./http/app.ts";
import { createBodyMemory } from "./http/bodyMemory.ts";
import { createBodyParser } from "./http/bodyParser.ts";
import { classListRoute } from "./http/classListRoute.ts";
import { createClientAddress, createIsFromTrustedProxy, rememberPeerAddress } from "./http/clientAddress.ts";
import { createDataApi } from "./http/dataApi.ts";
import { createDataApiFunctions, createSolanaFunctions } from "./http/dataApiFunctions.ts";
import { createDataDocs } from "./http/dataDocs.ts";
import type { Envelope } from "./http/envelope.ts";
import { closeIdleConnections } from "./http/idleConnections.ts";
import { indexerHealth } from "./http/indexerHealth.ts";
import { createMasterKeyVerifier } from "./http/masterKey.ts";
import { createMonitoringRoutes } from "./http/monitoringRoutes.ts";
import { objectRoutes } from "./http/objectRoutes.ts";
import { createParseApi, type ParseApiDependencies } from "./http/parseApi.ts";
import { createProviderApi } from "./http/providerApi.ts";
import { createRequestLimits } from "./http/requestLimits.ts";
import { schemaRoutes } from "./http/schemaRoutes.ts";
import { serverRoutes } from "./http/serverRoutes.ts";
import { createServerUrlOf } from "./http/serverUrl.ts";
import { createStaticApp } from "./http/staticApp.ts";
import { createNftImageHandler, Thumbnails } from "./images/index.ts";
import { createIpfsGateway, createUriReader, openIpfs, pinRoutes, uploadFolder } from "./ipfs/index.ts";
import { scheduleRoutes } from "./jobs/scheduleRoutes.ts";
import { LeaseManager } from "./leases/leaseManager.ts";
import { Lifecycle } from "./lifecycle.ts";
import { ByteBudget } from "./limits/byteBudget.ts";
import { createMemoryLimiter } from "./limits/rateLimiter.ts";
import { createMailer, formatSender } from "./mail/mailer.ts";
import { MailTemplates } from "./mail/mailTemplates.ts";
import { AggregationWorker } from "./objects/aggregationWorker.ts";
import { createObjects } from "./objects/index.ts";
import type { Objects } from "./objects/objects.ts";
import { createLogBuffer, type LogBuffer } from "./observe/logBuffer.ts";
import { type Logger, newRequestId } from "./observe/logger.ts";
import { createMetrics } from "./observe/metrics.ts";
import { createMetricsHistory } from "./observe/metricsHistory.ts";
import { scriptLogRoute } from "./observe/scriptLog.ts";
import { adminClassRules } from "./operator/adminClassRules.ts";
import { createAdminServices } from "./operator/adminServices.ts";
import { isPublicAddress } from "./outbound/addresses.ts";
import { createGatewayClient } from "./outbound/gateways.ts";
import { createPushService, createSenders, pushRules } from "./push/index.ts";
import { createLiveQueryServer, createLocalFeed, createSharedFeed } from "./realtime/index.ts";
import { applySchemas } from "./schema/definedSchemas.ts";
import { Schemas } from "./schema/schemas.ts";
import { openKeyUsage } from "./studio/keyUsage.ts";
import type { Restart } from "./studio/restores.ts";
import { createStudio } from "./studio/studio.ts";
import { openStudioClasses } from "./studio/studioClasses.ts";

/** How long open requests may continue when the server stops, in ms. */
const FORCE_CLOSE_MS = 5_000;
/** Interval of removing expired data, in ms. */
const SWEEP_MS = 10 * 60_000;

export interface ServerOptions {
  logger: Logger;
  /** The chains of the data API. */
  chains: ChainConfig[];
  /** The folder of the built app; without it `/` is not served. */
  appDir?: string;
  /** Settings of the app at `/config.json`, besides the server's URL. */
  appConfig?: JsonObject;
  /** Further origins that the app may connect to (a local chain). */
  connectTo?: string[];
  /** Restarts the server with the same settings; used when the studio restores a backup. */
  restart?: Restart;
  /**
   * Called when an essential component has failed permanently: the server is no longer ready and has to be restarted.
   */
  onFatal?(error: Error): void;
}

export interface PurseServer {
  /** The base URL, such as `http://127.0.0.1:1337`; known once started. */
  readonly url: string;
  start(): Promise<void>;
  /** Ends open requests and sockets, then stops everything in reverse order of its start. */
  stop(): Promise<void>;
}

/** Creates a server from its modules. If it rejects, everything that was opened is closed again. */
export function createServer(config: Config, options: ServerOptions): Promise<PurseServer> {
  const logBuffer = createLogBuffer(options.logger, config.log.level);
  const lifecycle = new Lifecycle(logBuffer.logger);
  return lifecycle.stopOnFailure(() => composeServer(config, options, logBuffer, lifecycle));
}

async function composeServer(
  config: Config,
  options: ServerOptions,
  logBuffer: LogBuffer,
  lifecycle: Lifecycle,
): Promise<PurseServer> {
  const { logger } = logBuffer;
  const report = (error: unknown, during: string) =>
    logger.error("unexpected error", {
      during,
      error: error instanceof Error ? (error.stack ?? error.message) : error,
    });

  const publicUrl =
    config.serverUrl?.replace(/\/+$/, "") ?? `http://${hostText(config.host)}:${config.port}${MOUNT_PATH}`;
  const siweDomains =
    config.siweDomains ?? defaultSiweDomains(publicUrl, config.environment === "development");
  const metrics = createMetrics(() => ({
    sockets: () => live.size(),
    subscriptions: () => live.subscriptions(),
    chains: () => chain.status(),
  }));
  lifecycle.onStop("metrics", () => metrics.close());
  const { database } = config;
  if (database.kind === "sqlite") {
    await lifecycle.open(
      "database lock",
      () => lockDatabase(database.path),
      (lock) => lock.release(),
    );
  }
  const replyMemory = new ByteBudget({
    maxBytes: Math.max(config.limits.maxAnswersBytes, 2 * config.limits.maxAnswerBytes),
    maxWaitMs: config.limits.queryTimeoutMs,
  });
  const openedStore = await lifecycle.open(
    "database",
    () =>
      openStore(database, {
        logger,
        budget: replyMemory,
        queryTimeoutMs: config.limits.queryTimeoutMs,
        maxResultBytes: config.limits.maxAnswerBytes,
        verifiesFile: true,
        ...(options.onFatal && { onFailed: options.onFatal }),
      }),
    (opened) => opened.close(),
  );
  const store = metrics.instrumentStore(openedStore);
  const leases = new LeaseManager(store.leases, logger);
  const ipfs = await lifecycle.open(
    "IPFS",
    () => openIpfs(join(config.dataDir, "ipfs"), config.ipfsRpcUrl),
    (opened) => opened.stop(),
  );
  const fileUrls = new FileUrls({
    appId: config.appId,
    mountPath: MOUNT_PATH,
    publicUrl,
    filesUrl: config.filesUrl,
  });
  const fetchContent = createUriReader({
    ipfs,
    ownGateway: fileUrls.gateway(),
    gateway: config.ipfsGateway,
    kuboRpc: config.ipfsRpcUrl,
    isAllowed: config.allowPrivateMetadata ? () => true : isPublicAddress,
  });
  const uploadsDir = join(config.dataDir, "uploads");
  await mkdir(uploadsDir, { recursive: true });
  const uploadQuota = new UploadQuota({
    folder: uploadsDir,
    maxPerOwner: config.uploads.maxPerOwner,
    maxBytesPerOwner: config.uploads.maxBytesPerOwner,
    maxBytes: config.uploads.maxBytes,
  });
  const gatewayClient = createGatewayClient(config.names.gateways);
  const chain = createChainService({
    chains: options.chains.map((each) => withNameServices(each, config.names)),
    ...(gatewayClient && { callGateway: gatewayClient }),
    database:
      config.database.kind === "postgres"
        ? config.database
        : { kind: "sqlite", folder: join(config.dataDir, "chains") },
    log: logger,
    uploadFolder: (folder) =>
      uploadFolder(
        {
          ipfs,
          gateway: fileUrls.gateway(),
          maxFileBytes: config.maxUploadSize,
          reserve: (bytes) => uploadQuota.reserve(undefined, bytes),
        },
        folder,
      ),
    fetchContent,
  });

  // Accounts and cloud code use services that depend on them, so these are set later.
  const lateBound: {
    objects?: ReturnType<typeof createObjects>;
    dispatch?: Dispatch;
    readFile?: ReturnType<typeof createFileReader>;
    cloud?: Cloud;
  } = {};
  const objectsOf = () => required(lateBound.objects);
  const outbox = config.environment === "development" ? join(config.dataDir, "outbox") : undefined;
  const mailer = await createMailer({
    mail: {
      from: config.mail.from ?? formatSender(config.appName, "no-reply@localhost"),
      smtpUrl: config.smtpUrl,
      adapter: config.mail.adapter,
    },
    outbox,
    logger,
  });
  const mails = new MailTemplates({
    store,
    schema: (await openStudioClasses(store))._StudioMail,
    clock: store.now,
  });
  const internalObjects: Objects = {
    find: (...args) => objectsOf().find(...args),
    findChunks: (...args) => objectsOf().findChunks(...args),
    get: (...args) => objectsOf().get(...args),
    create: (...args) => objectsOf().create(...args),
    update: (...args) => objectsOf().update(...args),
    remove: (...args) => objectsOf().remove(...args),
    onChange: (listener) => objectsOf().onChange(listener),
  };
  const passwords = new Passwords(config.hashing);
  const limiter = createMemoryLimiter({ clock: () => performance.now() });
  const accounts = createAuthService({
    store,
    passwords,
    schemaOf: (className) => schemas.require(className),
    objects: internalObjects,
    config: {
      ...config,
      policy: config.passwordPolicy,
      // SDKs generate 36 characters; tests of applications use arbitrary ids.
      minAnonymousIdLength: config.environment === "development" ? 1 : 16,
      publicUrl: () => publicUrl,
      siweDomains,
    },
    mailer,
    mailTemplates: mails,
    limits: new AccountLimits(limiter, config.accountLimits),
    triggers: { of: (trigger) => required(lateBound.cloud).triggers.auth.of(trigger) },
    clock: store.now,
    logger,
    chains: {
      ids: options.chains.map(({ id }) => id),
      idOf: chain.resolveChainId,
      call: (chainId, call, deadlineMs) => chain.call(chainId, call, AbortSignal.timeout(deadlineMs)),
    },
    balances: chain,
  });
  await accounts.ready();
  const chainEvents = new ChainEvents({
    store,
    schemas: () => schemas,
    objects: internalObjects,
    chain,
    config,
    lease: (onChange) => leases.createHolder("chain-watch", onChange),
    clock: store.now,
    logger,
  });
  const rules = new Map(
    [...accounts.rules, ...adminClassRules(), apiKeyRules(), ...pushRules, ...chainEvents.rules].map(
      (rule) => [rule.className, rule],
    ),
  );
  const schemas = await Schemas.load(store, rules, report);
  const changes = await applySchemas(schemas, config.schemas);
  if (changes.length > 0) logger.info("class schemas were updated as configured", { changes });
  const userOf = async (auth: Extract<AuthContext, { kind: "user" }>): Promise<JsonObject | undefined> => {
    const text = await store.get(schemas.require("_User"), auth.userId, null);
    if (text === undefined) return undefined;
    const user: JsonObject = JSON.parse(text);
    return objectsOf().serializer("_User")?.(user, internalRequest(auth)) ?? user;
  };
  const cloud = await createCloud({
    dispatch: (request) => required(lateBound.dispatch)(request),
    userOf,
    config,
    settings: cloudSettings(config, publicUrl, MOUNT_PATH),
    download: (url) => required(lateBound.readFile)(url),
    logger,
    logLevel: config.log.level,
    file: config.cloudFile,
    plugins: config.plugins,
    memoryMb: config.cloudMemoryMb,
    watchesFiles: config.environment === "development",
    sendMail: mailer && ((mail) => mailer.send(mail)),
  });
  lifecycle.onStop("cloud code", () => cloud.stop());
  lateBound.cloud = cloud;
  const aggregationWorker = new AggregationWorker({ logger, maxResultBytes: config.limits.maxAnswerBytes });
  lifecycle.onStop("aggregations", () => aggregationWorker.stop());
  const objects = createObjects({
    store,
    aggregationWorker,
    fileUrls,
    schemas,
    rules,
    triggers: cloud.triggers,
    limits: { defaultLimit: 100, maxLimit: config.limits.maxLimit },
    allowClientClassCreation: config.allowClientClassCreation,
    allowClientAddField: config.allowClientAddField,
    growthLimits: config.growthLimits,
    allowPublicExplain: config.allowPublicExplain,
    lockSchemas: config.lockSchemas,
    allowCustomObjectId: config.allowCustomObjectId,
    defaultAcl: config.defaultAcl,
    protectedFields: config.protectedFields,
    clock: store.now,
    onError: report,
  });
  lateBound.objects = objects;
  const walletIndexedChains = options.chains.filter(({ scope }) => scope === "wallets");
  if (walletIndexedChains.length > 0) {
    onWalletsLinked(objects.onChange, (addresses) => {
      for (const { id } of walletIndexedChains) chain.watch(id, addresses);
    });
  }
  const senders = createSenders(config.push);
  const push = createPushService({
    store,
    schemaOf: (className) => schemas.require(className),
    objects,
    senders,
    logger,
    now: store.now,
  });
  for (const { name, run } of accounts.functions) cloud.define(name, run);
  for (const { name, run } of chainEvents.functions) cloud.define(name, run);
  cloud.onDefined(({ watches }) => chainEvents.setCodeWatches(watches));
  for (const { name, run } of createSolanaFunctions()) cloud.define(name, run);

  const operator = await createAdminServices({
    store,
    schemas,
    cloud,
    config,
    clock: store.now,
    logger,
    onChange: objects.onChange,
    countEvent: metrics.countEvent,
    reportError: report,
  });

  lifecycle.onStop("jobs", operator.stop);

  const verifyMasterKey = createMasterKeyVerifier(config);
  const isFromTrustedProxy = createIsFromTrustedProxy(config.trustedProxies);
  const clientAddressOf = createClientAddress({
    trustedProxies: config.trustedProxies,
    onUntrustedProxy: (peer) =>
      logger.warn(
        "X-Forwarded-For is ignored: its sender is not in PURSE_TRUSTED_PROXIES, so all clients behind it count as one",
        { peer },
      ),
  });
  const bodyMemory = createBodyMemory(config.limits.bodyMemoryBytes, clientAddressOf);
  const serverUrlOf = createServerUrlOf({
    configured: config.serverUrl,
    fallback: publicUrl,
    mountPath: MOUNT_PATH,
    isFromTrustedProxy,
  });
  const parseApiDependencies: ParseApiDependencies = {
    appId: config.appId,
    verifyMasterKey,
    mountPath: MOUNT_PATH,
    serverUrl: publicUrl,
    serverUrlOf,
    clientAddressOf,
    withParsedBody: createBodyParser({
      appId: config.appId,
      isMasterKey: (key, message) => verifyMasterKey(key, clientAddressOf(message)) !== undefined,
      isValidSession: (token) =>
        accounts.authenticateSession(token).then(
          () => true,
          () => false,
        ),
      maxBodyBytes: config.limits.maxBodyBytes,
      maxAnonymousBodyBytes: config.limits.maxAnonymousBodyBytes,
      memory: bodyMemory,
    }),
    routes: [
      ...objectRoutes({ objects, findInstallation: accounts.findInstallation }),
      ...schemaRoutes({
        schemas,
        store,
        objects,
        isLocked: config.lockSchemas,
        fixedFields: (className) => Object.keys(rules.get(className)?.fields ?? {}),
      }),
      classListRoute({
        schemas,
        isPublic: config.allowClientClassList,
        allowClientAddField: config.allowClientAddField,
        protectedFields: config.protectedFields,
      }),
      aggregateRoute(objects.aggregates),
      ...serverRoutes({ canPush: senders.length > 0 }),
      scriptLogRoute(logBuffer),
      ...accounts.routes,
      ...cloud.routes,
      ...operator.routes,
      ...scheduleRoutes({ objects, jobNames: () => cloud.definitions().jobs }),
      ...push.routes,
      ...pinRoutes(ipfs),
    ],
    store,
    idempotency: { ...config.idempotency, rememberedFields: objects.replayFields },
    authenticateSession: accounts.authenticateSession,
    assertWithinLimits: createRequestLimits(config.rateLimits, limiter, () => cloud.definitions().rateLimits),
    report,
  };
  const parseApi = createParseApi(parseApiDependencies);
  const fileStore = await openFileStore({
    config: config.filesStore,
    folder: join(config.dataDir, "files"),
    spoolFolder: uploadsDir,
    report: (error) => report(error, "the file store"),
  });
  const files = new Files({
    store: fileStore,
    ipfs,
    urls: fileUrls,
    upload: config.fileUpload,
    maxUploadSize: config.maxUploadSize,
    isAnonymousUser: accounts.isAnonymousUser,
    triggers: cloud.fileTrigger,
    uploadQuota,
    report: (error) => report(error, "files"),
  });
  lateBound.dispatch = dispatchWithFiles(
    parseApi.dispatch,
    createParseApi({ ...parseApiDependencies, routes: cloudFileRoutes({ files }) }).dispatch,
  );
  lateBound.readFile = createFileReader({ files, urls: fileUrls, isAllowed: isPublicAddress });
  const authenticateUpload = (envelope: Envelope, message: IncomingMessage) =>
    parseApi.authenticate(
      envelope,
      message,
      (message.url ?? "").slice(MOUNT_PATH.length).split("?", 1)[0] ?? "",
    );
  const resumable = await openResumableUploads({
    files,
    folder: uploadsDir,
    uploadQuota,
    authenticate: authenticateUpload,
    clock: store.now,
  });
  const handleFileRequest = createFileRoutes({
    appId: config.appId,
    files,
    downloads: new Downloads({ store: fileStore, triggers: cloud.downloadTrigger }),
    resumable,
    spoolDir: uploadsDir,
    uploadQuota,
    clientAddressOf,
    filesHost: separateFilesHost(config.filesUrl, publicUrl),
    authenticate: authenticateUpload,
    send,
    report: (error) => report(error, "files"),
  });
  const thumbnails = new Thumbnails(join(config.dataDir, "thumbnails"));
  lifecycle.onStop("thumbnails", () => thumbnails.stop());
  const handleIpfsRequest = createIpfsGateway(ipfs, thumbnails);
  const { changeLog, subscribe: onAnnounced } = store;
  const feed = changeLog
    ? createSharedFeed({ changeLog, subscribeToNotifications: onAnnounced, logger, clock: store.now })
    : createLocalFeed(objects.onChange);
  const live = createLiveQueryServer({
    appId: config.appId,
    isMasterKey: (key, ip) => verifyMasterKey(key, ip) !== undefined,
    clientAddressOf,
    authenticateSession: accounts.authenticateSession,
    feed,
    triggers: cloud.live,
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
    logger,
    limits: {
      maxSocketsPerAddress: config.limits.liveSocketsPerAddress,
      // As many as its sockets might have if each subscribed to a few queries.
      maxSubscriptionsPerAddress: config.limits.liveSocketsPerAddress * 10,
    },
  });
  lifecycle.onStop("live queries", live.stop);
  accounts.onSessionsChanged(live.sessionsChanged);

  const apiKeys = new ApiKeys({
    store,
    schemaOf: () => schemas.require("_ApiKey"),
    clock: store.now,
    onError: (error) => report(error, "recording the use of an API key"),
  });
  lifecycle.onStop("API keys", () => apiKeys.close());
  const keyUsage = await openKeyUsage(store, store.now, (error) =>
    report(error, "counting the use of API keys"),
  );
  lifecycle.onStop("use of API keys", () => keyUsage.stop());
  const authenticateDataRequest = createApiKeyGuard({
    apiKeys,
    recordUse: (keyId) => keyUsage.count(keyId),
    verifyMasterKey,
    limiter,
    requireApiKey: config.requireApiKey,
    isDevelopment: config.environment === "development",
    limits: config.dataLimits,
    isOwnSite: (host) => siweDomains.some((allowed) => matchesDomain(host, allowed)),
  });
  const dataRequestOf = (message: IncomingMessage): DataApiRequest => ({
    ip: clientAddressOf(message),
    headers: message.headers,
    serverUrl: serverUrlOf(message),
  });
  const dataApi = createDataApi({
    service: chain,
    authenticate: (message) => authenticateDataRequest(dataRequestOf(message)),
    clientAddressOf,
    ...config.limits,
    memory: bodyMemory,
    report: (error) => report(error, "the data service"),
  });
  const dataApiFunctions = createDataApiFunctions(chain.routes, userOf, authenticateDataRequest, (auth) =>
    files.assertCanUpload(auth),
  );
  for (const { name, run } of dataApiFunctions) cloud.define(name, run);
  const nftImage = createNftImageHandler({
    chain,
    thumbnails,
    fetchContent,
    authenticate: (message) => authenticateDataRequest({ ...dataRequestOf(message), allowsWithoutKey: true }),
  });
  const workers = () =>
    [store.workers?.(), aggregationWorker.workers(), live.workers(), chain.indexer()].flatMap(
      (health) => health ?? [],
    );
  const monitoring = createMonitoringRoutes({
    metrics,
    store,
    workers,
    verifyMasterKey,
    metricsIps: config.metricsIps,
    clientAddressOf,
    isFromTrustedProxy,
  });
  const dataDocs = createDataDocs(dataUrlOf(publicUrl));
  const providerApi = createProviderApi({
    dataUrl: dataUrlOf(publicUrl),
    keyFetch: config.keyFetch,
    isTracking: config.tracking,
    limiter,
    clientAddressOf,
    countEvent: metrics.countEvent,
  });
  const metricsHistory = createMetricsHistory(
    {
      sockets: () => live.size(),
      subscriptions: () => live.subscriptions(),
      storageBytes: async () =>
        config.database.kind === "sqlite" ? await databaseSize(config.database.path) : null,
      lagBlocks: () => {
        const lags = chain.status().flatMap(({ lag }) => lag ?? []);
        return lags.length === 0 ? null : Math.max(...lags);
      },
    },
    (error) => report(error, "measuring the storage"),
  );
  lifecycle.onStop("measurements", () => metricsHistory.stop());
  const studio = await createStudio({
    store,
    objects,
    schemas,
    rules,
    execute: parseApi.execute,
    asUser: accounts.authContextFor,
    evaluateGates: accounts.evaluateTokenGates,
    limiter,
    bodyMemory,
    config,
    cloud,
    logBuffer,
    mailer,
    mails,
    outbox: config.smtpUrl === undefined && config.mail.adapter === undefined ? outbox : undefined,
    chain,
    apiKeys,
    hookCalls: operator.webhookCalls,
    keyUsage,
    files,
    metricsHistory,
    restart: options.restart,
    feed,
    serializer: objects.serializer,
    passwords,
    serverUrlOf,
    clientAddressOf,
    newRequestId,
    clock: store.now,
    logger,
    reportError: (error, requestId) => report(error, `studio ${requestId}`),
  });
  const sources = walletServiceSources(config.walletServices);
  const staticApp = createStaticApp(options.appDir ?? join(config.dataDir, "no-app"), {
    ...sources,
    connect: [...(options.connectTo ?? []), ...sources.connect],
  });
  const appConfig = JSON.stringify({
    appId: config.appId,
    serverUrl: publicUrl,
    wallets: config.walletServices,
    ...options.appConfig,
  });

  const app = createApp({
    clientAddressOf,
    parseApi: parseApi.handle,
    replyLimits: { budget: replyMemory, maxAnswerBytes: config.limits.maxAnswerBytes },
    files: handleFileRequest,
    adminApi: studio.handle,
    dataApi,
    dataDocs,
    nftImage,
    ipfs: handleIpfsRequest,
    providerApi,
    endpoints: {
      "/health": async () =>
        ok(
          JSON.stringify({
            status: "ok",
            chains: chain.status(),
            indexer: indexerHealth(chain.indexer),
            leases: leases.list(),
          }),
        ),
      "/ready": monitoring.ready,
      "/config.json": async () => ok(appConfig),
    },
    metrics: monitoring.metrics,
    staticApp,
    onResponse(api, method = "", status, started, path) {
      metrics.recordRequest(api, method, status, started);
      // Requests of operators are not part of the server's load, and some last as long as a page is open.
      if (api === "studio") return;
      metricsHistory.record({ method, path, status, ms: performance.now() - started });
    },
    report,
  });
  const { requestTimeoutMs } = config.limits;
  const http = createHttpServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: Math.min(15_000, requestTimeoutMs),
      connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs),
    },
    (message, response) => {
      trackResponse(response);
      app(message, response);
    },
  );
  const trackResponse = closeIdleConnections(http, requestTimeoutMs);
  http.on("connection", rememberPeerAddress);
  http.on("upgrade", (message, socket, head) => {
    const [path = ""] = (message.url ?? "").split("?", 1);
    // Clients with a separate live query URL connect to the root path.
    if (["", MOUNT_PATH].includes(path.replace(/\/+$/, ""))) live.upgrade(message, socket, head);
    else socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });

  const sweepTimer = setInterval(() => {
    store.deleteExpired().catch((error: unknown) => report(error, "sweeping the store"));
    resumable.sweep().catch((error: unknown) => report(error, "sweeping uploads"));
  }, SWEEP_MS);
  sweepTimer.unref();
  lifecycle.onStop("sweeping", () => clearInterval(sweepTimer));

  let url = "";
  return {
    get url() {
      return url;
    },
    start: () =>
      lifecycle.stopOnFailure(async () => {
        const start = async (name: string, run: () => unknown, stop: () => unknown) => {
          lifecycle.onStop(name, stop);
          await run();
        };
        await start("chains", chain.start, chain.stop);
        operator.start();
        await start("accounts", accounts.start, accounts.stop);
        await start(
          "chain events",
          () => chainEvents.start(),
          () => chainEvents.stop(),
        );
        await start("push", push.start, push.stop);
        const closed = new Promise((resolve) => http.once("close", resolve));
        lifecycle.onStop("open requests", async () => {
          if (url === "") return;
          await live.stop();
          const forceCloseTimer = setTimeout(() => http.closeAllConnections(), FORCE_CLOSE_MS);
          await closed;
          clearTimeout(forceCloseTimer);
        });
        await start("port", listen, () => {
          http.close();
          http.closeIdleConnections();
        });
        await start("studio", () => studio.start(url), studio.stop);
      }),
    stop: () => lifecycle.stop(),
  };

  async function listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      http.once("error", reject);
      http.listen(config.port, config.host, resolve);
    });
    url = `http://${hostText(config.host)}:${(http.address() as AddressInfo).port}`;
  }
}

/** The host of the separate origin of files; undefined if files share the origin of the Parse API. */
function separateFilesHost(filesUrl: string | undefined, publicUrl: string): string | undefined {
  if (filesUrl === undefined) return undefined;
  const { host } = new URL(filesUrl);
  return host === new URL(publicUrl).host ? undefined : host;
}

/** The size of an SQLite database including its write-ahead log. */
async function databaseSize(path: string): Promise<number> {
  const sizes = await Promise.all(
    [path, `${path}-wal`].map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Adds the configured name service contracts to a chain. */
function withNameServices(chain: ChainConfig, { ens, unstoppable }: NamesConfig): ChainConfig {
  const [registry, reader] = [ens[chain.id], unstoppable[chain.id]];
  const own = { ...(registry && { ens: registry }), ...(reader && { unstoppable: reader }) };
  return Object.keys(own).length > 0 ? { ...chain, names: { ...chain.names, ...own } } : chain;
}

/** The URL of the data API, derived from that of the Parse API. */
function dataUrlOf(publicUrl: string): string {
  if (publicUrl.endsWith(MOUNT_PATH)) return publicUrl.slice(0, -MOUNT_PATH.length) + DATA_PATH;
  return new URL(DATA_PATH, publicUrl).href;
}

function hostText(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function internalRequest(auth: AuthContext): RequestContext {
  return { auth, installationId: undefined, context: {}, ip: "", isInternal: true, requestId: "" };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("A service was used before it was created");
  return value;
}
