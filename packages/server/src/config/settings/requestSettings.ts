import { setting } from "@purse/kernel";
import { MAX_ANSWER_BYTES } from "../../core/limits/answerSize.ts";
import { addresses, bytesOrNone, flag, integer, list, oneOf, secret, settingGroup } from "../settingTypes.ts";

/** Sizes, times and numbers of requests, and what the server requests from others. */
export const requestSettings = {
  ...settingGroup("Request bodies", {
    maxBodyBytes: setting(integer(1_024, 2 ** 31 - 1), {
      default: String(20 * 1024 * 1024),
      description: "Maximum size of a request body, in bytes.",
    }),
    maxAnonymousBodyBytes: setting(integer(1_024, 2 ** 31 - 1), {
      default: String(4 * 1024 * 1024),
      description: "Maximum size of a request body of clients without a session or a key, in bytes.",
    }),
    bodyMemoryBytes: setting(integer(1_048_576, 2 ** 40), {
      default: String(256 * 1024 * 1024),
      description:
        "Memory for the bodies of all open requests together, in bytes; one IP address may use a sixth of it.",
    }),
  }),
  ...settingGroup("Server", {
    requestTimeoutMs: setting(integer(100, 3_600_000), {
      default: "60000",
      description: "How long a client may take to send a request, or to read the response, in ms.",
    }),
    keepAliveSeconds: setting(integer(1, 3_600), {
      default: "65",
      description:
        "How long the server keeps a connection open for the next request, in seconds. It must be longer than the load balancer or reverse proxy keeps it.",
    }),
    metricsIps: setting(addresses(), {
      default: "127.0.0.1,::1",
      description:
        "IP addresses and ranges that may read /metrics without the master key, separated by commas; * for all.",
    }),
  }),
  ...settingGroup("Cloud code and webhooks", {
    functionTimeoutMs: setting(integer(10, 3_600_000), {
      default: "30000",
      description: "Timeout of cloud functions and triggers, in ms.",
    }),
    cloudMemoryMb: setting(integer(32, 65_536), {
      default: "512",
      description:
        "Memory limit of each thread of cloud code, in MiB; it is restarted when it exceeds the limit.",
    }),
    cloudWorkers: setting(integer(1, 64).optional(), {
      description:
        "Threads that run cloud functions at most; further ones are started when calls have to wait for one that is blocked. Unless it is 1, there may be one more, for triggers only. Default: 2, or 1 on one processor and with the compatibility parse. Variables of modules are per thread.",
    }),
    cloudBlockedMs: setting(integer(100, 3_600_000), {
      default: "5000",
      description:
        "How long a function or trigger may block its thread, in ms of processor time, before the thread is ended; what does so repeatedly is refused for a minute.",
    }),
    cloudLoadTimeoutMs: setting(integer(1_000, 3_600_000), {
      default: "60000",
      description:
        "How long loading the cloud code may take, in ms, including what it awaits at its top level; otherwise the server does not start.",
    }),
    webhookKey: setting(secret(8).optional(), {
      description:
        "Sent to webhooks as X-Parse-Webhook-Key and used to sign requests to them (X-Purse-Signature). If unset, neither header is sent.",
      isSecret: true,
    }),
    allowPrivateHooks: setting(flag(), {
      default: "0",
      description: "1 allows webhooks at loopback, private and link-local addresses.",
    }),
  }),
  ...settingGroup("IPFS and NFT metadata", {
    allowPrivateMetadata: setting(flag(), {
      default: "0",
      description: "1 allows reading NFT metadata from loopback, private and link-local addresses.",
    }),
  }),
  ...settingGroup("Database and queries", {
    defaultLimit: setting(integer(1, 1_000_000), {
      default: "100",
      description: "Number of objects that a query without a limit returns.",
    }),
    maxLimit: setting(integer(1, 1_000_000), {
      default: "10000",
      description: "Maximum number of objects in a response.",
    }),
    queryTimeoutMs: setting(integer(100, 3_600_000), {
      default: "10000",
      description: "Time limit of a database query, in ms; a query that exceeds it fails with error 124.",
    }),
    maxAnswerBytes: setting(integer(64 * 1024, 2 ** 28), {
      default: String(MAX_ANSWER_BYTES),
      description:
        "Maximum size of a response, in bytes, with everything as often as it is in it; a request that exceeds it fails with error 116.",
    }),
    maxAnswersBytes: setting(integer(64 * 1024, 2 ** 40), {
      default: String(128 * 1024 * 1024),
      description:
        "Maximum size of all responses in memory together, in bytes; further large responses wait.",
    }),
    maxUnsentBytes: setting(integer(1024 * 1024, 2 ** 40).optional(), {
      description:
        "Bytes that may wait until clients read them, of responses, live events and streams together, half of them for one IP address; beyond it, the connections with the most unread bytes are ended. At least four times maxAnswerBytes. Default: a sixteenth of the memory, at most 512 MiB.",
    }),
  }),
  ...settingGroup("Rate limits", {
    limitAccounts: setting(flag(), {
      description:
        "1 applies the default rate limits per IP address and account to sign-ups, failed logins, emails, sign-in messages, new installations and new roles; accountLimits of the config file overrides them.",
      default: { development: "0", production: "1" },
    }),
    storedBytesPerAddress: setting(bytesOrNone(), {
      description:
        "Bytes that clients of one IP address may store in objects within an hour, without the master key; 0 for no limit. An update counts by what its object has grown.",
      default: { development: "0", production: String(50 * 1024 * 1024) },
    }),
    storedBytesPerClass: setting(bytesOrNone(), {
      description:
        "The same for all clients together within a day, for each class in which everyone may create objects. The default is more than one address may store in a day.",
      default: { development: "0", production: String(2 * 1024 * 1024 * 1024) },
    }),
  }),
  ...settingGroup("Users and sessions", {
    hashConcurrency: setting(integer(1, 1_024).optional(), {
      description:
        "Passwords that are hashed concurrently. Default: half of libuv's threads (UV_THREADPOOL_SIZE, 4), but not more than the number of processors.",
    }),
    hashQueue: setting(integer(1, 100_000), {
      default: "512",
      description:
        "Maximum passwords that wait to be hashed, a quarter of them per IP address; more are rejected with HTTP 429 or 503.",
    }),
  }),
  ...settingGroup("Compatibility with old clients", {
    compatibility: setting(oneOf(["strict", "parse"]), {
      default: "strict",
      description:
        "parse restores the behavior of Parse Server where Purse is safer by default; the migration guide lists the differences with their risks.",
    }),
    numberDecimals: setting(flag(), {
      default: "0",
      description:
        '1 sends the approximate integers of on-chain events (`value_decimal`) as Moralis v1 did: { "__type": "NumberDecimal", "value": { "$numberDecimal": "1" } }, with all digits. They are stored and compared as numbers. 0 sends numbers.',
    }),
    keyFetchSecret: setting(secret(20).optional(), {
      description:
        "Secret with which old Node.js clients fetch keyFetchApiKey from /api/publics/apiKeys; they send it as moralis-secret. Disabled if unset.",
      isSecret: true,
    }),
    keyFetchApiKey: setting(secret(20).optional(), {
      description: "The API key that is fetched with keyFetchSecret, created by `npm run purse -- keys add`.",
      isSecret: true,
    }),
    tracking: setting(flag(), {
      default: "0",
      description:
        "1 counts usage events of old clients (/api/functions/trackEvent) in /metrics; they are not sent anywhere else. 0 rejects them.",
    }),
  }),
  ...settingGroup("Repeated requests", {
    idempotencyPaths: setting(list(parsePatterns), {
      default: ".*",
      description:
        "Patterns of the beginning of paths, separated by commas, on which requests with an X-Parse-Request-Id are idempotent: `classes/Note` includes all its objects.",
    }),
    idempotencySeconds: setting(integer(1, 86_400), {
      default: "300",
      description: "How long request IDs are remembered, in seconds.",
    }),
  }),
};

/** Patterns match from the beginning of a path, not to its end, as in Parse Server. */
function parsePatterns(value: string): RegExp[] {
  try {
    return value.split(",").map((each) => new RegExp(`^(?:${each.trim()})`));
  } catch {
    throw new Error("it must be regular expressions, separated by commas");
  }
}
