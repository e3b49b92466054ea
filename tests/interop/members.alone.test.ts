import { Moralis as ours } from "@purse/client";
import { describe, expect, it } from "vitest";
import { freshRequire } from "../support/freshRequire.ts";

const OFFLINE_QUEUE = "the parse package's own queue and storage for calls without a network";
const HOSTED = "belongs to the hosted service";
const INTERNAL = "inner part of the old client without a leading underscore";
const OTHER_CHAINS = "wallets of chains that are not EVM chains";

/** Names that the namespace omits, with reasons. */
const NOT_IN_NAMESPACE: Record<string, string> = {
  IndexedDB: OFFLINE_QUEUE,
  EventuallyQueue: OFFLINE_QUEUE,

  handleTriggers: INTERNAL,
  memoryCard: INTERNAL,
  speedyNodeApiKey: HOSTED,

  getInternalWeb3: INTERNAL,
  getInternalWeb3Provider: INTERNAL,

  isDotAuth: OTHER_CHAINS,
  isElrondAuth: OTHER_CHAINS,
  isSolAuth: OTHER_CHAINS,

  handleWeb3AccountChanged: INTERNAL,
  handleWeb3ChainChanged: INTERNAL,
  handleWeb3Connect: INTERNAL,
  handleWeb3Disconnect: INTERNAL,
  Parse: "the namespace within itself",
  maintenanceKey: "a key that Purse has not",
  allowCustomObjectId: "ids are the server's to give",
  nodeLogging: "the client does not log",
};

/** Members that every class omits, with reasons. */
const NOT_IN_CLASSES: Record<string, string> = {
  saveEventually: OFFLINE_QUEUE,
  destroyEventually: OFFLINE_QUEUE,
};

const CALLS_OF_DATA = ["getErrorMessage", "checkObjEqual"];
const CALLS_OF_SOLANA = [
  ...CALLS_OF_DATA,
  "getBody",
  "getParameterizedUrl",
  "getNextOptions",
  "getApiRateLimitInfo",
  "getApiErrorMessage",
  "fetch",
  "fetchFromApi",
  "fetchFromServer",
  "baseURL",
  "BodyParamTypes",
];

/** Members that one class omits, with reasons. */
const NOT_IN: Record<string, Record<string, string>> = {
  LocalDatastore: Object.fromEntries(
    [
      "isSyncing",
      "checkIfEnabled",
      "getKeyForObject",
      "getPinName",
      "fromPinWithName",
      "pinWithName",
      "unPinWithName",
    ].map((name) => [name, INTERNAL]),
  ),
  Storage: { getAllKeys: "getAllKeysAsync tells them wherever they are kept" },
  File: Object.fromEntries(
    ["directory", "setDirectory"].map((name) => [name, "files have names, not folders"]),
  ),
  Web3API: Object.fromEntries(CALLS_OF_DATA.map((name) => [name, INTERNAL])),
  // These classes only reject calls: they have no members of a wallet.
  ...Object.fromEntries(
    ["Elrond", "Erd"].map((name) => [
      name,
      Object.fromEntries(
        ["getErdJs", "gatewayAddress", "hwProxy", "hwProvider"].map((member) => [member, OTHER_CHAINS]),
      ),
    ]),
  ),
  Dot: { web3IsInjected: OTHER_CHAINS },
  SolanaAPI: Object.fromEntries(CALLS_OF_SOLANA.map((name) => [name, INTERNAL])),
};

/** Members of Node's EventEmitter; Purse's emitters have `on`, `off` and those that the old client documents. */
const EMITTERS = ["LiveQuery", "LiveQueryClient", "AbstractWeb3Connector"];
const EMITTER_MEMBERS = new Set([
  "addAbortListener",
  "once",
  "prependListener",
  "prependOnceListener",
  "addListener",
  "removeListener",
  "removeAllListeners",
  "emit",
  "listeners",
  "rawListeners",
  "listenerCount",
  "eventNames",
  "getEventListeners",
  "getMaxListeners",
  "setMaxListeners",
  "defaultMaxListeners",
  "EventEmitter",
  "EventEmitterAsyncResource",
  "usingDomains",
  "captureRejectionSymbol",
  "captureRejections",
  "errorMonitor",
  "kMaxEventTargetListeners",
  "kMaxEventTargetListenersWarned",
  "init",
  "on",
  "off",
]);

/** Controllers of the old client, which options of `start` replace. */
const isController = (name: string) =>
  /^[sg]et(\w*Controller|LocalDatastore|AsyncStorage|EventEmitter|EventuallyQueue|LiveQuery|Parse\w+)$/.test(
    name,
  );

const FUNCTION_PROPERTIES = new Set(["length", "name", "prototype", "caller", "arguments", "constructor"]);

function publicNames(of: object, stopAt: unknown): string[] {
  const names = new Set<string>();
  for (
    let at: object | null = of;
    at && at !== stopAt && at !== Object.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (!FUNCTION_PROPERTIES.has(name) && !/^[_#]/.test(name)) names.add(name);
    }
  }
  return [...names];
}

function missing(theirs: unknown, mine: unknown, isExcused: (name: string) => boolean): string[] {
  if (typeof theirs !== "function" && (typeof theirs !== "object" || theirs === null)) return [];
  if (typeof mine !== "function" && (typeof mine !== "object" || mine === null)) return ["(itself)"];
  const statics = publicNames(theirs, Function.prototype).filter((name) => !(name in mine));
  const theirMethods =
    typeof theirs === "function" ? publicNames(theirs.prototype ?? {}, Object.prototype) : [];
  const prototype: unknown = typeof mine === "function" ? mine.prototype : undefined;
  const methods = theirMethods.filter(
    (name) => typeof prototype !== "object" || prototype === null || !(name in prototype),
  );
  return [...statics, ...methods.map((name) => `#${name}`)].filter(
    (name) => !isExcused(name.replace("#", "")),
  );
}

/** The clients, and the file from which they are found. */
const CLIENTS: [name: string, from: string][] = [
  ["moralis/node", import.meta.url],
  ["parse/node", import.meta.url],
  ["moralis-v1/node", new URL("../fixtures/oldApp/package.json", import.meta.url).href],
];

describe.each(CLIENTS)("every public member of %s", (name, from) => {
  const loaded = freshRequire(name, from);
  const theirs: Record<string, unknown> = loaded.default ?? loaded;
  const names = publicNames(theirs, Function.prototype);

  it("exists in the namespace of Purse's client", () => {
    expect(names.filter((each) => !(each in ours) && !(each in NOT_IN_NAMESPACE))).toEqual([]);
  });

  const classNames = names.filter(
    (each) => /^[A-Z]/.test(each) && each in ours && each !== "Moralis" && each !== "Web3",
  );
  it.each(classNames)("exists in %s as a static member or method", (className) => {
    const isExcused = (member: string) =>
      member in NOT_IN_CLASSES ||
      member in (NOT_IN[className] ?? {}) ||
      (className === "CoreManager" && isController(member)) ||
      (EMITTERS.includes(className) && EMITTER_MEMBERS.has(member));
    expect(missing(theirs[className], Reflect.get(ours, className), isExcused)).toEqual([]);
  });

  const groups = Object.entries(Object(theirs.Web3API)).filter(([, group]) => typeof group === "object");
  it.skipIf(groups.length === 0)("exists in each group of its Web3API", () => {
    const absent = groups.flatMap(([group, calls]) =>
      Object.keys(Object(calls))
        .filter((call) => typeof Object(Reflect.get(ours.Web3API, group) ?? {})[call] !== "function")
        .map((call) => `${group}.${call}`),
    );
    expect(absent.filter((call) => !call.startsWith("BodyParamTypes."))).toEqual([]);
  });
});

describe("the list of omitted members", () => {
  const within = (className: string, member: string) => {
    const mine: unknown = Reflect.get(ours, className);
    if (typeof mine !== "function" && (typeof mine !== "object" || mine === null)) return false;
    const prototype: unknown = typeof mine === "function" ? mine.prototype : undefined;
    return member in mine || (typeof prototype === "object" && prototype !== null && member in prototype);
  };

  it("contains only members that Purse's client does not have", () => {
    expect(Object.keys(NOT_IN_NAMESPACE).filter((name) => name in ours)).toEqual([]);
    for (const [className, members] of Object.entries(NOT_IN))
      expect(Object.keys(members).filter((member) => within(className, member))).toEqual([]);
    for (const member of Object.keys(NOT_IN_CLASSES)) expect(within("Object", member)).toBe(false);
  });
});
