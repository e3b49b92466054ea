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
import { type Cloud, createCloud, settingsForCode } from "./cloud/index.ts";
import type { NamesConfig } from "./config/names.ts";
import { defaultSiweDomains } from "./config/siweDomains.ts";
import { walletServiceSources } from "./config/walletServices.ts";
import type { Config } from "./config.ts";
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
  UploadSpace,
} from "./files/index.ts";
import { aggregateRoute } from "./http/aggregateRoute.ts";
import type { Dispatch } from "./http/api.ts";
import { createAppFiles } from "./http/appFiles.ts";
import { createBodyMemory } from "./http/bodyMemory.ts";
import { classListRoute } from "./http/classListRoute.ts";
import { createClientAddress, createIsFromTrustedProxy, rememberPeerAddress } from "./http/clientAddress.ts";
import { createDataDoor } from "./http/dataDoor.ts";
import { dataFunctions, solanaFunctions } from "./http/dataFunctions.ts";
import { createDataGate, type DataClient } from "./http/dataGate.ts";
import { createDataPages } from "./http/dataPages.ts";
import { createDoor, type DoorParts } from "./http/door.ts";
import { dropUnread } from "./http/dropUnread.ts";
import type { Envelope } from "./http/envelope.ts";
import { createFront, DATA_PATH, MOUNT_PATH, ok, send } from "./http/front.ts";
import { indexerHealth } from "./http/indexerHealth.ts";
import { createJudgeKey } from "./http/masterKey.ts";
import { objectRoutes } from "./http/objectRoutes.ts";
import { createObserveRoutes } from "./http/observeRoutes.ts";
import { createProviderRoutes } from "./http/providerRoutes.ts";
import { createWithFields } from "./http/requestFields.ts";
import { createRequestLimits } from "./http/requestLimits.ts";
import { schemaRoutes } from "./http/schemaRoutes.ts";
import { serverRoutes } from "./http/serverRoutes.ts";
import { createServerUrlOf } from "./http/serverUrl.ts";
import { nftPictures, Thumbnails } from "./images/index.ts";
import { createGateway, createUriReader, openIpfs, pinRoutes, uploadFolder } from "./ipfs/index.ts";
import { scheduleRoutes } from "./jobs/scheduleRoutes.ts";
import { LeaseManager } from "./leases/leaseManager.ts";
import { Lifecycle } from "./lifecycle.ts";
import { ByteBudget } from "./limits/byteBudget.ts";
import { createMemoryLimiter } from "./limits/rateLimiter.ts";
import { createLive, createLocalFeed, createSharedFeed } from "./live/index.ts";
import { createMailer, formatSender } from "./mail/mailer.ts";
import { MailTemplates } from "./mail/mailTemplates.ts";
import { createObjects } from "./objects/index.ts";
import type { Objects } from "./objects/objects.ts";
import { Pipelines } from "./objects/pipeline.ts";
import { type Log, newRequestId } from "./observe/log.ts";
import { createMetrics } from "./observe/metrics.ts";
import { createRecentLog, type RecentLog } from "./observe/recentLog.ts";
import { scriptLogRoute } from "./observe/scriptLog.ts";
import { createSeries } from "./observe/series.ts";
import { adminClassRules } from "./operator/adminClassRules.ts";
import { createAdminServices } from "./operator/adminServices.ts";
import { isPublicAddress } from "./outbound/addresses.ts";
import { gatewayAsker } from "./outbound/gateways.ts";
import { createPushService, createSenders, pushRules } from "./push/index.ts";
import { applySchemas } from "./schema/definedSchemas.ts";
import { Schemas } from "./schema/schemas.ts";
import { openStore } from "./store/openStore.ts";
import { compileRegex } from "./store/regex.ts";
import { lockDatabase } from "./store/sqlite/databaseLock.ts";
import { openKeyUsage } from "./studio/keyUsage.ts";
import type { Restart } from "./studio/restores.ts";
import { createStudio } from "./studio/studio.ts";
import { openStudioClasses } from "./studio/studioClasses.ts";

/** How long requests may go on when the server stops, in ms. */
const FORCE_CLOSE_MS = 5_000;
/** How often what has expired is forgotten, in ms. */
const SWEEP_MS = 10 * 60_000;

export interface ServerOptions {
  log: Log;
  /** The chains that the data service follows. */
  chains: ChainConfig[];
  /** The built app's folder; without one `/` serves nothing. */
  appDir?: string;
  /** What the app is told beside its server's address: `/config.json`. */
  appConfig?: JsonObject;
  /** Addresses beside our own that the app may connect to (a local chain). */
  connectTo?: string[];
  /** Stops this server and starts another with the same settings; what the studio's restores need. */
  restart?: Restart;
  /** Something that the server cannot do without has failed for good: it is not ready any more, and has to be started anew. */
  onFatal?(error: Error): void;
}

export interface PurseServer {
  /** `http://127.0.0.1:1337`, known once started. */
  readonly url: string;
  start(): Promise<void>;
  /** Ends open requests and sockets, then everything in the reverse order of its start. */
  stop(): Promise<void>;
}

/** Wires the parts; the only file that knows them all. What it has opened is closed again where it rejects. */
export function createServer(config: Config, options: ServerOptions): Promise<PurseServer> {
  const recentLog = createRecentLog(options.log, config.log.level);
  const lifecycle = new Lifecycle(recentLog.log);
  return lifecycle.unwinding(() => wire(config, options, recentLog, lifecycle));
}

async function wire(
  config: Config,
  options: ServerOptions,
  recentLog: RecentLog,
  lifecycle: Lifecycle,
): Promise<PurseServer> {
  const { log } = recentLog;
  const report = (error: unknown, during: string) =>
    log.error("unexpected error", {
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
  const budget = new ByteBudget({
    maxBytes: Math.max(config.limits.maxAnswersBytes, 2 * config.limits.maxAnswerBytes),
    maxWaitMs: config.limits.queryTimeoutMs,
  });
  const openedStore = await lifecycle.open(
    "database",
    () =>
      openStore(database, {
        log,
        budget,
        queryTimeoutMs: config.limits.queryTimeoutMs,
        maxAnswerBytes: config.limits.maxAnswerBytes,
        checksFile: true,
        ...(options.onFatal && { onFailed: options.onFatal }),
      }),
    (opened) => opened.close(),
  );
  const store = metrics.watchStore(openedStore);
  const leases = new LeaseManager(store.leases, log);
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
  const space = new UploadSpace({
    folder: uploadsDir,
    maxPerOwner: config.uploads.maxPerOwner,
    maxBytesPerOwner: config.uploads.maxBytesPerOwner,
    maxBytes: config.uploads.maxBytes,
  });
  const askGateway = gatewayAsker(config.names.gateways);
  const chain = createChainService({
    chains: options.chains.map((each) => withNames(each, config.names)),
    ...(askGateway && { askGateway }),
    database:
      config.database.kind === "postgres"
        ? config.database
        : { kind: "sqlite", folder: join(config.dataDir, "chains") },
    log,
    uploadFolder: (folder) =>
      uploadFolder(
        {
          ipfs,
          gateway: fileUrls.gateway(),
          maxFileBytes: config.maxUploadSize,
          reserve: (bytes) => space.reserve(undefined, bytes),
        },
        folder,
      ),
    fetchContent,
  });

  // Accounts and cloud code act through the pipeline that their rules and triggers are part of.
  const late: {
    objects?: ReturnType<typeof createObjects>;
    dispatch?: Dispatch;
    readFile?: ReturnType<typeof createFileReader>;
    cloud?: Cloud;
  } = {};
  const objectsOf = () => required(late.objects);
  const outbox = config.environment === "development" ? join(config.dataDir, "outbox") : undefined;
  const mailer = await createMailer({
    mail: {
      from: config.mail.from ?? formatSender(config.appName, "no-reply@localhost"),
      smtpUrl: config.smtpUrl,
      adapter: config.mail.adapter,
    },
    outbox,
    logger: log,
  });
  const mails = new MailTemplates({
    store,
    schema: (await openStudioClasses(store))._StudioMail,
    clock: store.now,
  });
  const innerObjects: Objects = {
    find: (...args) => objectsOf().find(...args),
    findPieces: (...args) => objectsOf().findPieces(...args),
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
    objects: innerObjects,
    config: {
      ...config,
      policy: config.passwordPolicy,
      // SDKs make up 36 characters; tests of applications take whatever comes to mind.
      minAnonymousIdLength: config.environment === "development" ? 1 : 16,
      publicUrl: () => publicUrl,
      siweDomains,
    },
    mailer,
    mailTemplates: mails,
    limits: new AccountLimits(limiter, config.accountLimits),
    triggers: { of: (trigger) => required(late.cloud).triggers.people.of(trigger) },
    clock: store.now,
    logger: log,
    chains: {
      ids: options.chains.map(({ id }) => id),
      idOf: chain.chainIdOf,
      call: (chainId, call, deadlineMs) => chain.call(chainId, call, AbortSignal.timeout(deadlineMs)),
    },
    balances: chain,
  });
  await accounts.ready();
  const chainEvents = new ChainEvents({
    store,
    schemas: () => schemas,
    objects: innerObjects,
    chain,
    config,
    lease: (onChange) => leases.createHolder("chain-watch", onChange),
    clock: store.now,
    log,
  });
  const rules = new Map(
    [...accounts.rules, ...adminClassRules(), apiKeyRules(), ...pushRules, ...chainEvents.rules].map(
      (rule) => [rule.className, rule],
    ),
  );
  const schemas = await Schemas.load(store, rules, report);
  const changes = await applySchemas(schemas, config.schemas);
  if (changes.length > 0) log.info("classes were changed as the code defines them", { changes });
  const userOf = async (auth: Extract<AuthContext, { kind: "user" }>): Promise<JsonObject | undefined> => {
    const text = await store.get(schemas.require("_User"), auth.userId, null);
    if (text === undefined) return undefined;
    const user: JsonObject = JSON.parse(text);
    return objectsOf().presenter("_User")?.(user, requestOf(auth)) ?? user;
  };
  const cloud = await createCloud({
    dispatch: (request) => required(late.dispatch)(request),
    userOf,
    config,
    settings: settingsForCode(config, publicUrl, MOUNT_PATH),
    download: (url) => required(late.readFile)(url),
    log,
    logLevel: config.log.level,
    file: config.cloudFile,
    plugins: config.plugins,
    memoryMb: config.cloudMemoryMb,
    isWatched: config.environment === "development",
    sendMail: mailer && ((mail) => mailer.send(mail)),
  });
  lifecycle.onStop("cloud code", () => cloud.stop());
  late.cloud = cloud;
  const pipelines = new Pipelines({ log, maxAnswerBytes: config.limits.maxAnswerBytes });
  lifecycle.onStop("aggregations", () => pipelines.stop());
  const objects = createObjects({
    store,
    pipelines,
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
  late.objects = objects;
  const byWallets = options.chains.filter(({ scope }) => scope === "wallets");
  if (byWallets.length > 0) {
    onWalletsLinked(objects.onChange, (addresses) => {
      for (const { id } of byWallets) chain.watch(id, addresses);
    });
  }
  const senders = createSenders(config.push);
  const push = createPushService({
    store,
    schemaOf: (className) => schemas.require(className),
    objects,
    senders,
    logger: log,
    now: store.now,
  });
  for (const { name, run } of accounts.functions) cloud.define(name, run);
  for (const { name, run } of chainEvents.functions) cloud.define(name, run);
  cloud.onDefined(({ watches }) => chainEvents.take(watches));
  for (const { name, run } of solanaFunctions()) cloud.define(name, run);

  const operator = await createAdminServices({
    store,
    schemas,
    cloud,
    config,
    clock: store.now,
    logger: log,
    onChange: objects.onChange,
    countEvent: metrics.event,
    reportError: report,
  });

  lifecycle.onStop("jobs", operator.stop);

  const judgeKey = createJudgeKey(config);
  const isFromTrustedProxy = createIsFromTrustedProxy(config.trustedProxies);
  const clientAddressOf = createClientAddress({
    trustedProxies: config.trustedProxies,
    onUntrustedProxy: (peer) =>
      log.warn(
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
  const doorParts: DoorParts = {
    appId: config.appId,
    judgeKey,
    mountPath: MOUNT_PATH,
    serverUrl: publicUrl,
    serverUrlOf,
    clientAddressOf,
    withFields: createWithFields({
      appId: config.appId,
      isMasterKey: (key, message) => judgeKey(key, clientAddressOf(message)) !== undefined,
      isSession: (token) =>
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
        isOpen: config.allowClientClassList,
        allowClientAddField: config.allowClientAddField,
        protectedFields: config.protectedFields,
      }),
      aggregateRoute(objects.aggregates),
      ...serverRoutes({ canPush: senders.length > 0 }),
      scriptLogRoute(recentLog),
      ...accounts.routes,
      ...cloud.routes,
      ...operator.routes,
      ...scheduleRoutes({ objects, jobNames: () => cloud.definitions().jobs }),
      ...push.routes,
      ...pinRoutes(ipfs),
    ],
    store,
    idempotency: { ...config.idempotency, rememberedFields: objects.rememberedFields },
    callerOf: accounts.authenticateSession,
    assertWithinLimits: createRequestLimits(config.rateLimits, limiter, () => cloud.definitions().rateLimits),
    report,
  };
  const door = createDoor(doorParts);
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
    space,
    report: (error) => report(error, "files"),
  });
  late.dispatch = dispatchWithFiles(
    door.dispatch,
    createDoor({ ...doorParts, routes: cloudFileRoutes({ files }) }).dispatch,
  );
  late.readFile = createFileReader({ files, urls: fileUrls, isAllowed: isPublicAddress });
  const admitToFiles = (envelope: Envelope, message: IncomingMessage) =>
    door.admit(envelope, message, (message.url ?? "").slice(MOUNT_PATH.length).split("?", 1)[0] ?? "");
  const resumable = await openResumableUploads({
    files,
    folder: uploadsDir,
    space,
    enter: admitToFiles,
    clock: store.now,
  });
  const handleFiles = createFileRoutes({
    appId: config.appId,
    files,
    downloads: new Downloads({ store: fileStore, triggers: cloud.downloadTrigger }),
    resumable,
    spoolDir: uploadsDir,
    space,
    addressOf: clientAddressOf,
    filesHost: filesHostOf(config.filesUrl, publicUrl),
    enter: admitToFiles,
    send,
    report: (error) => report(error, "files"),
  });
  const thumbnails = new Thumbnails(join(config.dataDir, "thumbnails"));
  lifecycle.onStop("thumbnails", () => thumbnails.stop());
  const serveIpfs = createGateway(ipfs, thumbnails);
  const { changeLog, onAnnounced } = store;
  const feed = changeLog
    ? createSharedFeed({ changeLog, onAnnounced, log, clock: store.now })
    : createLocalFeed(objects.onChange);
  const live = createLive({
    appId: config.appId,
    isMasterKey: (key, ip) => judgeKey(key, ip) !== undefined,
    clientAddressOf,
    callerOf: accounts.authenticateSession,
    feed,
    triggers: cloud.live,
    presenter: objects.presenter,
    scope: objects.scopeOf,
    mayFind: (auth, className, where) => {
      try {
        objects.assertFind(requestOf(auth), className, where);
        return true;
      } catch {
        return false;
      }
    },
    regex: compileRegex,
    log,
    limits: {
      maxSocketsPerAddress: config.limits.liveSocketsPerAddress,
      // As many as its sockets might have if each followed a few things.
      maxSubscriptionsPerAddress: config.limits.liveSocketsPerAddress * 10,
    },
  });
  lifecycle.onStop("live queries", live.stop);
  accounts.onSessionsChanged(live.sessionsChanged);

  const apiKeys = new ApiKeys({
    store,
    schemaOf: () => schemas.require("_ApiKey"),
    clock: store.now,
    onError: (error) => report(error, "noting the use of an API key"),
  });
  lifecycle.onStop("API keys", () => apiKeys.close());
  const keyUsage = await openKeyUsage(store, store.now, (error) =>
    report(error, "counting the use of API keys"),
  );
  lifecycle.onStop("use of API keys", () => keyUsage.stop());
  const authorizeDataRequest = createDataGate({
    apiKeys,
    countUse: (keyId) => keyUsage.count(keyId),
    judgeKey,
    limiter,
    requireApiKey: config.requireApiKey,
    isDevelopment: config.environment === "development",
    limits: config.dataLimits,
    isOwnSite: (host) => siweDomains.some((allowed) => matchesDomain(host, allowed)),
  });
  const dataClientOf = (message: IncomingMessage): DataClient => ({
    ip: clientAddressOf(message),
    headers: message.headers,
    serverUrl: serverUrlOf(message),
  });
  const handleData = createDataDoor({
    service: chain,
    admit: (message) => authorizeDataRequest(dataClientOf(message)),
    clientAddressOf,
    ...config.limits,
    memory: bodyMemory,
    report: (error) => report(error, "the data service"),
  });
  const dataCalls = dataFunctions(chain.routes, userOf, authorizeDataRequest, (auth) =>
    files.assertMayUpload(auth),
  );
  for (const { name, run } of dataCalls) cloud.define(name, run);
  const pictureAt = nftPictures({
    chain,
    thumbnails,
    fetchContent,
    admit: (message) => authorizeDataRequest({ ...dataClientOf(message), isFromPage: true }),
  });
  const workers = () =>
    [store.workers?.(), pipelines.workers(), live.workers(), chain.indexer()].flatMap(
      (health) => health ?? [],
    );
  const observe = createObserveRoutes({
    metrics,
    store,
    workers,
    judgeKey,
    metricsIps: config.metricsIps,
    clientAddressOf,
    isFromTrustedProxy,
  });
  const dataPageAt = createDataPages(dataUrlOf(publicUrl));
  const answerForProvider = createProviderRoutes({
    dataUrl: dataUrlOf(publicUrl),
    keyFetch: config.keyFetch,
    isTracking: config.tracking,
    limiter,
    clientAddressOf,
    countEvent: metrics.event,
  });
  const series = createSeries(
    {
      sockets: () => live.size(),
      subscriptions: () => live.subscriptions(),
      storageBytes: async () =>
        config.database.kind === "sqlite" ? await sizeOf(config.database.path) : null,
      lagBlocks: () => {
        const lags = chain.status().flatMap(({ lag }) => lag ?? []);
        return lags.length === 0 ? null : Math.max(...lags);
      },
    },
    (error) => report(error, "measuring the storage"),
  );
  lifecycle.onStop("measurements", () => series.stop());
  const studio = await createStudio({
    store,
    objects,
    schemas,
    rules,
    runAs: door.runAs,
    asUser: accounts.authContextFor,
    gateStandingsOf: accounts.evaluateTokenGates,
    limiter,
    bodyMemory,
    config,
    cloud,
    recentLog,
    mailer,
    mails,
    outbox: config.smtpUrl === undefined && config.mail.adapter === undefined ? outbox : undefined,
    chain,
    apiKeys,
    hookCalls: operator.webhookCalls,
    keyUsage,
    files,
    series,
    restart: options.restart,
    feed,
    presenter: objects.presenter,
    passwords,
    serverUrlOf,
    clientAddressOf,
    newRequestId,
    clock: store.now,
    log,
    report: (error, requestId) => report(error, `studio ${requestId}`),
  });
  const sources = walletServiceSources(config.walletServices);
  const serveApp = createAppFiles(options.appDir ?? join(config.dataDir, "no-app"), {
    ...sources,
    connect: [...(options.connectTo ?? []), ...sources.connect],
  });
  const appConfig = JSON.stringify({
    appId: config.appId,
    serverUrl: publicUrl,
    wallets: config.walletServices,
    ...options.appConfig,
  });

  const handle = createFront({
    clientAddressOf,
    parse: door.handle,
    answers: { budget, maxAnswerBytes: config.limits.maxAnswerBytes },
    files: handleFiles,
    studio: studio.handle,
    data: handleData,
    dataPageAt,
    pictureAt,
    ipfs: serveIpfs,
    provider: answerForProvider,
    pages: {
      "/health": async () =>
        ok(
          JSON.stringify({
            status: "ok",
            chains: chain.status(),
            indexer: indexerHealth(chain.indexer),
            leases: leases.list(),
          }),
        ),
      "/ready": observe.ready,
      "/config.json": async () => ok(appConfig),
    },
    figures: observe.metrics,
    app: serveApp,
    answered(door, method = "", status, started, path) {
      metrics.answered(door, method, status, started);
      // What operators look at is not what the server is for, and some of it lasts as long as they look.
      if (door === "studio") return;
      series.answered({ method, path, status, ms: performance.now() - started });
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
      answering(response);
      handle(message, response);
    },
  );
  const answering = dropUnread(http, requestTimeoutMs);
  http.on("connection", rememberPeerAddress);
  http.on("upgrade", (message, socket, head) => {
    const [path = ""] = (message.url ?? "").split("?", 1);
    // Servers whose live queries have an address of their own have them at the root.
    if (["", MOUNT_PATH].includes(path.replace(/\/+$/, ""))) live.upgrade(message, socket, head);
    else socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });

  const sweeping = setInterval(() => {
    store.sweep().catch((error: unknown) => report(error, "sweeping the store"));
    resumable.sweep().catch((error: unknown) => report(error, "sweeping uploads"));
  }, SWEEP_MS);
  sweeping.unref();
  lifecycle.onStop("sweeping", () => clearInterval(sweeping));

  let url = "";
  return {
    get url() {
      return url;
    },
    start: () =>
      lifecycle.unwinding(async () => {
        const start = async (name: string, begin: () => unknown, stop: () => unknown) => {
          lifecycle.onStop(name, stop);
          await begin();
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
          const forced = setTimeout(() => http.closeAllConnections(), FORCE_CLOSE_MS);
          await closed;
          clearTimeout(forced);
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

/** The host on which nothing but files lives; undefined where files share the protocol's origin. */
function filesHostOf(filesUrl: string | undefined, publicUrl: string): string | undefined {
  if (filesUrl === undefined) return undefined;
  const { host } = new URL(filesUrl);
  return host === new URL(publicUrl).host ? undefined : host;
}

/** Of an SQLite database, with what has not been moved into its file yet. */
async function sizeOf(path: string): Promise<number> {
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

/** A chain with the contracts that the settings say resolve its names. */
function withNames(chain: ChainConfig, { ens, unstoppable }: NamesConfig): ChainConfig {
  const [registry, reader] = [ens[chain.id], unstoppable[chain.id]];
  const own = { ...(registry && { ens: registry }), ...(reader && { unstoppable: reader }) };
  return Object.keys(own).length > 0 ? { ...chain, names: { ...chain.names, ...own } } : chain;
}

/** Where clients reach the data service, by where they reach the Parse protocol. */
function dataUrlOf(publicUrl: string): string {
  if (publicUrl.endsWith(MOUNT_PATH)) return publicUrl.slice(0, -MOUNT_PATH.length) + DATA_PATH;
  return new URL(DATA_PATH, publicUrl).href;
}

function hostText(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function requestOf(auth: AuthContext): RequestContext {
  return { auth, installationId: undefined, context: {}, ip: "", isInternal: true, requestId: "" };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("A part was used before the server was put together");
  return value;
}
