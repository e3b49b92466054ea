/** A term that identifiers, file names and folders do not use. */
export interface IdentifierRule {
  /**
   * Words of camelCase, PascalCase or snake_case identifiers, in lower case: `carry out` matches `carryOut`,
   * `CARRY_OUT` and `carryOutAll`. With `is`, a whole identifier in its own case.
   */
  words: string;
  /** Where the words stand: anywhere, or at the end or the beginning of an identifier of several words. */
  position?: "anywhere" | "suffix" | "prefix" | "whole";
  /** Only identifiers in this case. */
  case?: "Pascal" | "UPPER";
  /** The term to use instead. */
  use: string;
  /** Only files below these folders. */
  in?: readonly string[];
  /** Files where the term has its ordinary meaning, as beginnings of paths, with the reason. */
  allowed?: Readonly<Record<string, string>>;
}

const STUDIO = ["apps/studio", "packages/server/src/studio"];
const CHAIN = ["packages/chain"];
const SERVER = ["packages/server"];

export const IDENTIFIERS: readonly IdentifierRule[] = [
  // HTTP
  { words: "door", use: "parseApi, dataApi, adminApi; label `api`" },
  { words: "doors", use: "APIs" },
  { words: "create front", use: "createApp" },
  { words: "judge", use: "authenticate, authorize, verify" },
  { words: "judged", use: "authenticated" },
  { words: "carry out", use: "execute" },
  { words: "carried out", use: "executed" },
  { words: "run together", use: "executeBatch" },
  { words: "data gate", use: "authenticateDataRequest" },
  { words: "Caller", position: "whole", use: "AuthContext", in: SERVER },
  { words: "principal", use: "AclSubjects, subjects" },
  { words: "principals", use: "AclSubjects, subjects" },
  // Options and dependencies
  { words: "parts", position: "suffix", case: "Pascal", use: "…Options, …Dependencies" },
  { words: "#parts", position: "whole", use: "#options, #dependencies" },
  { words: "most", position: "prefix", case: "UPPER", use: "MAX_…" },
  { words: "longest", position: "prefix", case: "UPPER", use: "MAX_…_LENGTH" },
  { words: "least", position: "prefix", case: "UPPER", use: "MIN_…" },
  { words: "is whole", use: "isInteger" },
  { words: "whole number", use: "integerOf" },
  // Database and objects
  { words: "ClaimTaken", position: "whole", use: "UniqueConstraintError" },
  { words: "claimsOf", position: "whole", use: "uniqueKeysOf" },
  {
    words: "claim",
    use: "reserve, acquire",
    in: ["packages", "apps"],
    allowed: {
      "packages/chain/src/decode/activity/classify.test.ts": "a function of contracts",
      "packages/server/src/auth/providers/oidc.ts": "the claims of a JWT",
    },
  },
  { words: "uncount", use: "decrementCounter" },
  { words: "limit reached", use: "CounterLimitError" },
  {
    words: "announce",
    use: "publish",
    in: SERVER,
  },
  { words: "announced", use: "published", in: SERVER },
  { words: "announcements", use: "notifications", in: SERVER },
  { words: "together", use: "transaction, batch, multicall" },
  { words: "Draft", position: "whole", use: "PendingWrite", in: SERVER },
  { words: "chooses ids", use: "allowCustomId" },
  { words: "may lag", use: "readPreference" },
  { words: "is looked", use: "needsOriginal" },
  { words: "presenter", use: "serializer" },
  { words: "presentation", use: "serializer", in: SERVER },
  { words: "leftovers", use: "orphans" },
  // Live queries
  { words: "teller", use: "LiveQueryDispatcher" },
  { words: "tell", use: "notify, publish, send" },
  {
    words: "told",
    use: "sent, delivered, notified",
    allowed: { "packages/server/src/studio/restores.ts": "the name is stored in a file" },
  },
  { words: "untold", use: "undelivered" },
  { words: "sight", use: "VisibleChange, view" },
  { words: "standing", use: "MatchState, status" },
  { words: "send away", use: "disconnect" },
  { words: "end stale", use: "expireSubscriptions" },
  // Accounts
  { words: "Gate", position: "whole", use: "TokenGate", in: SERVER },
  { words: "Gates", position: "whole", use: "TokenGates", in: SERVER },
  { words: "credentials turn", use: "lockCredentials" },
  {
    words: "take value",
    use: "extractField",
    allowed: { "packages/react/src/pluginHooks.ts": "a parameter of Rarible's plugin" },
  },
  { words: "people", use: "users" },
  // Cloud code and services
  { words: "refusal", use: "error, rejection" },
  { words: "code thread", use: "cloudWorker" },
  { words: "moving", position: "whole", use: "dataTransfer", in: SERVER },
  { words: "recent log", use: "logBuffer" },
  { words: "figures", use: "metrics" },
  { words: "rings", use: "cycles", in: STUDIO },
  {
    words: "ring",
    use: "cycle",
    in: STUDIO,
    allowed: { "apps/studio/src/navigation.ts": "the name of an icon" },
  },
  { words: "hang together", use: "hierarchy" },
  { words: "stand in", use: "fake" },
  { words: "OutboundRefused", position: "whole", use: "BlockedAddressError" },
  // Chain
  { words: "lying", use: "invalid" },
  { words: "distrust", use: "penalize" },
  { words: "rests until", use: "cooldownUntil" },
  { words: "followed chain", use: "ChainContext" },
  { words: "follow chain", use: "startIndexing" },
  { words: "Follower", position: "whole", use: "ChainIndexer", in: CHAIN },
  { words: "ask balances", use: "getBalances" },
  { words: "take up", use: "start" },
  { words: "learnt", use: "saved" },
  { words: "sightings", use: "discoveredTokens" },
  { words: "feed place", use: "EventCursor" },
  { words: "index place", use: "IndexPosition" },
  { words: "worlds", use: "scenarios", in: ["packages/devchain"] },
  { words: "world", use: "scenario", in: ["packages/devchain"] },
  // Client and apps
  { words: "sought", use: "TransactionQuery" },
  { words: "let go", use: "unsubscribe, release" },
  { words: "put away", use: "disconnect" },
  { words: "within time", use: "withTimeout" },
  { words: "asked wallet", use: "getActiveAccount" },
  { words: "room", use: "page (studio), capacity, memory" },
  { words: "rooms", use: "pages" },
  { words: "use ask", position: "whole", use: "useQuery" },
  { words: "useAnswer", position: "whole", use: "useQuery" },
  { words: "asked", use: "requested, queried" },
  { words: "quietly", use: "handle or report the error" },
  // Spelling
  {
    words: "colour",
    use: "color",
    allowed: { "packages/react/src/ByMoralis.ts": "a value of the old package" },
  },
  { words: "reorganise", use: "reorganize" },
  { words: "behaviour", use: "behavior" },
];

/** Uncommon expressions in documentation and user interfaces. */
export interface PhraseRule {
  /** Name in reports. */
  name: string;
  pattern: RegExp;
  use: string;
}

function words(name: string, use: string, source = name): PhraseRule {
  return { name, pattern: new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${source})(?![\\p{L}\\p{N}_-])`, "giu"), use };
}

export const PHRASES: readonly PhraseRule[] = [
  words(
    "British spelling",
    "American spelling",
    "(?:re|un|dis)?(?:organ|normal|serial|initial|recogn|author|summar|synchron|custom)is(?:e[sd]?|ing|ation)|colours?|behaviours?|labell(?:ed|ing)|towards|learnt|misspelt",
  ),
  words("door", "API", "doors?"),
  words("room", "page", "rooms?"),
  words("judge", "check, authenticate, match", "judge[sd]?"),
  words("carry out", "execute, apply", "carr(?:y|ies|ied) out"),
  words("let go", "release, unpin", "lets? go"),
  words("put away", "disconnect", "puts? (?:it |them )?away|puts? the wallet away"),
  words("take away", "remove, delete", "tak(?:e|es|en) away"),
  words("whoever", "a client that, users who"),
  words("one's own", "custom, your own", "of one's own|of its own kind"),
  words("is told", "receives, is notified", "(?:is|are|was|were) told"),
  words("is asked", "is requested, is queried", "(?:is|are|was|were) asked"),
  words("read again", "refresh, reload"),
  words("hang together", "hierarchy, depend on each other"),
  words("at hand", "available"),
  words("web hook", "webhook", "web hooks?"),
  words("e-mail", "email", "e-mails?"),
  words("log-in", "login", "log-ins?"),
  words("user name", "username", "user names?"),
  words("data folder", "data directory"),
  words("faster than", "latency p50, p95", "(?:half|95 of 100) are faster than"),
  words("a second", "…/s, per second", "requests a second"),
  words("blocks behind", "indexing lag (blocks)", "blocks that the index is behind"),
  words("look as", "View as user", "look as a user"),
  words("may they", "Check access", "may they\\?"),
  words("asking the guards", "Checking permissions…"),
  words("count all", "Show exact count"),
  words("pick all", "Select all loaded rows", "pick (?:all|none)[^.]*"),
  words("make an object", "Create an object"),
  words("drop it", "Delete class"),
  words("there now", "Current value"),
  words("take theirs", "Keep their version"),
  words("save mine", "Overwrite with mine", "save mine over it"),
  words("plan a job", "Schedule a job", "plan (?:a job|it)"),
  words("what for", "Description"),
  words("begun by", "Triggered by"),
  words("given up", "Failed"),
  words("answered with", "Response"),
  words("keep a CID", "Pin CID"),
  words("put it back", "Restore"),
  words("check that it is whole", "Verify integrity"),
  words("other than now", "Diff to current"),
  words("a way back in", "Account recovery"),
  words("not needed yet", "Idle"),
  words("catching up", "Syncing"),
  words("ways in", "Sign-in methods"),
  words("take it along", "Export my data"),
  words("enter more than nothing", "Enter an amount greater than 0."),
  words("trying it out", "Simulating…"),
  words("tried out", "Simulation succeeded"),
  words("forgotten by the node", "Dropped from mempool"),
  words("the one in its place", "Replacement transaction"),
  words("blocks stand on it", "Finalized ({n} confirmations)"),
  words("at place", "Position {n} in block", "at place \\d"),
  words("the sender's next one", "Next nonce"),
  words("what it did and has", "Activity and holdings"),
  words("all in all", "Net balance change"),
  words("moves of nothing", "Show dust and zero-value transfers"),
  words("that did not match", "Wrong username or password"),
  words("as the browser", "System language"),
  words("passes every permission", "bypasses all permission checks"),
  words("lets see everything", "grants read-only access to everything"),
  words("goes on where", "resumes after an interruption"),
  words("without it", "if unset, defaults to", "without it:"),
  words("the least important messages", "Minimum log level"),
];

/** Pages whose text comes from elsewhere: the product specification. */
export const FOREIGN_TEXT = /^docs\/internals\/conformance/;

/** Files that name the refused terms on purpose. */
export const EXEMPT_FILES = /^scripts\/vocabulary/;
