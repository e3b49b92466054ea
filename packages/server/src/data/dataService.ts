import type { Lifecycle } from "@purse/kernel";
import type { JsonObject } from "@purse/protocol";
import type { Config } from "../config/loadConfig.ts";
import { type AuthContext, internalRequest } from "../core/authContext.ts";
import type { EventBus } from "../core/eventBus.ts";
import type { RateLimiter } from "../core/limits/rateLimiter.ts";
import type { Logger } from "../core/logger.ts";
import { PROGRAM } from "../core/programName.ts";
import type { ObjectText } from "../database/objectText.ts";
import type { SecretObject, Store } from "../database/store.ts";
import { type FileUrls, mayContainFiles } from "./fileUrls.ts";
import { AggregationWorker } from "./objects/aggregationWorker.ts";
import { createBulkWrites, type RunBulk } from "./objects/bulkWrites.ts";
import type { ClassRules } from "./objects/classRules.ts";
import { createObjects } from "./objects/index.ts";
import type { AssertAllowed } from "./objects/keywordDenylist.ts";
import { StoredBytes } from "./objects/storedBytes.ts";
import type { Triggers } from "./objects/triggers.ts";
import { defaultAccess } from "./permissions/classAccess.ts";
import { classesOpenToStrangers, strangerAccessText } from "./permissions/strangerAccess.ts";
import { createParseDescriptions, FULL_DESCRIPTIONS } from "./schema/classDescriptions.ts";
import { applySchemas } from "./schema/definedSchemas.ts";
import { SchemaService } from "./schema/schemaService.ts";
import { Schemas } from "./schema/schemas.ts";

export interface DataDependencies {
  config: Config;
  store: Store;
  events: EventBus;
  triggers: Triggers;
  fileUrls: FileUrls;
  limiter: RateLimiter;
  /** Throws 105 for denied keywords. */
  assertAllowed: AssertAllowed;
  lifecycle: Lifecycle;
  logger: Logger;
  report(error: unknown, activity: string): void;
}

export interface DataService {
  schemas: Schemas;
  schemaService: SchemaService;
  objects: ReturnType<typeof createObjects>;
  /** Writes many objects with all permissions and without triggers. */
  bulk: RunBulk;
  aggregationWorker: AggregationWorker;
  storedBytes: StoredBytes;
  /** The rules of built-in classes by name. */
  rules: ReadonlyMap<string, ClassRules>;
  /** Adds rules of built-in classes; before `load`. */
  addRules(rules: readonly ClassRules[]): void;
  /** Loads the classes, creates missing system classes, and applies the configured ones. */
  load(): Promise<void>;
  /** Returns a signed-in user as it sees itself, without triggers. */
  userOf(auth: UserAuth): Promise<JsonObject | undefined>;
  /** Like `userOf`, as JSON text. */
  userText(auth: UserAuth): Promise<ObjectText | undefined>;
}

type UserAuth = Extract<AuthContext, { kind: "user" }>;

/** Creates the services for classes and objects. */
export function createDataService(dependencies: DataDependencies): DataService {
  const { config, store, events, triggers, fileUrls, lifecycle, logger, report } = dependencies;
  const rules = new Map<string, ClassRules>();
  const schemas = new Schemas(store, rules, (recorded) => defaultAccess(config, recorded));
  const aggregationWorker = new AggregationWorker({ logger, maxResultBytes: config.maxAnswerBytes });
  lifecycle.onStop("aggregations", () => aggregationWorker.stop());
  const storedBytes = new StoredBytes({
    limiter: dependencies.limiter,
    perAddress: config.storedBytesPerAddress,
    perClass: config.storedBytesPerClass,
  });
  const objects = createObjects({
    store,
    aggregationWorker,
    fileUrls,
    schemas,
    rules,
    events,
    triggers,
    limits: { defaultLimit: config.defaultLimit, maxLimit: config.maxLimit },
    maxAnswerBytes: config.maxAnswerBytes,
    allowClientClassCreation: config.allowClientClassCreation,
    allowClientAddField: config.allowClientAddField,
    growthLimits: { classes: config.maxClientClasses, fields: config.maxClientFields },
    allowPublicExplain: config.allowPublicExplain,
    lockSchemas: config.lockSchemas,
    clientsIndexTexts: config.compatibility === "parse",
    returnsUnreadable: config.compatibility === "parse",
    afterSaveReplies: config.compatibility === "parse",
    allowCustomObjectId: config.allowCustomObjectId,
    objectIdSize: config.objectIdSize,
    defaultAcl: config.defaultAcl,
    assertAllowed: dependencies.assertAllowed,
    protectedFields: config.protectedFields,
    sendsNumberDecimals: config.numberDecimals,
    clock: store.now,
    storedBytes,
    onError: report,
  });
  const schemaService = new SchemaService({
    schemas,
    store,
    objects,
    isLocked: config.lockSchemas,
    // Parse Server knows that ids which it has not made may have other characters.
    isUserId:
      config.compatibility === "parse" && !config.allowCustomObjectId
        ? (text) => /^[0-9A-Za-z]+$/.test(text)
        : undefined,
    descriptions:
      config.compatibility === "parse"
        ? createParseDescriptions({ store, schemas, rules })
        : FULL_DESCRIPTIONS,
    fixedFields: (className) => schemas.builtInFields(className),
  });
  return {
    schemas,
    schemaService,
    objects,
    bulk: createBulkWrites({ objects, schemas, store }),
    aggregationWorker,
    storedBytes,
    rules,
    addRules(added) {
      for (const rule of added) rules.set(rule.className, rule);
    },
    async load() {
      await schemas.load(report);
      const { strict, beforeMigration, afterMigration } = config.schemaOptions;
      await beforeMigration?.();
      const options = {
        ...config.schemaOptions,
        isParseCompatible: config.compatibility === "parse",
        warn: (message: string) => logger.warn(message),
      };
      const changes = await applySchemas(schemas, config.schemas, options);
      await afterMigration?.();
      const defined = new Set(config.schemas.map(({ className }) => className));
      const missing = schemas.all().flatMap(({ className }) => (defined.has(className) ? [] : [className]));
      const undefinedClasses = missing.filter((className) => !className.startsWith("_"));
      if (strict && undefinedClasses.length > 0) {
        logger.warn("classes are in the database, but not defined in schemas", { classes: undefinedClasses });
      }
      if (config.environment === "production") reportOpenClasses();
      if (changes.length > 0) logger.info("class schemas were updated as configured", { changes });
    },
    async userOf(auth) {
      const found = await readUser(auth);
      return found && serializeUser(found, auth);
    },
    async userText(auth) {
      const found = await readUser(auth);
      if (!found) return undefined;
      // Users see all their fields. Only URLs of files and the data of providers are added to what is stored.
      const isUnchanged = found.secret.authData === undefined && !mayContainFiles(found.text);
      return isUnchanged ? found.text : JSON.stringify(await serializeUser(found, auth));
    },
  };

  /** Lists the classes to which people without any role have access. */
  function reportOpenClasses(): void {
    const open = classesOpenToStrangers(schemas.all());
    if (open.length === 0) return;
    const isWritable = open.some(({ change }) => change !== undefined);
    logger[isWritable ? "warn" : "info"](
      `strangers may read or write classes; to close one: ${PROGRAM} permissions close CLASS`,
      { classes: open.map(strangerAccessText) },
    );
  }

  function readUser({ userId }: UserAuth): Promise<SecretObject | undefined> {
    return store.getSecret(schemas.require("_User"), userId);
  }

  async function serializeUser({ text, secret }: SecretObject, auth: UserAuth): Promise<JsonObject> {
    const user: JsonObject = JSON.parse(text);
    return objects.serializer("_User")?.(user, internalRequest(auth), secret) ?? user;
  }
}
