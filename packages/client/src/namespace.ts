import type { JsonObject, JsonValue } from "@purse/protocol";
import { Analytics } from "./analytics.ts";
import { Storage } from "./applicationStorage.ts";
import {
  getAllERC20,
  getERC20,
  getNFTs,
  getNFTsCount,
  getTransactions,
  getTransactionsCount,
} from "./chainFunctions.ts";
import { Chains } from "./chains.ts";
import { Cloud } from "./cloud.ts";
import { Config } from "./config.ts";
import { configure, connection, currentConnection, reconfigure, setting } from "./connection.ts";
import { CoreManager } from "./coreManager.ts";
import { enableEncryptedUser, isEncryptedUserEnabled } from "./encryptedUser.ts";
import { ParseError } from "./errors.ts";
import { web3Library, web3Of } from "./ethers.ts";
import { Hooks } from "./hooks.ts";
import { installationId } from "./installationId.ts";
import { LiveQueryClient } from "./live/LiveQueryClient.ts";
import { LiveQuery } from "./live/liveQuery.ts";
import {
  dumpLocalDatastore,
  enableLocalDatastore,
  isLocalDatastoreEnabled,
  setLocalDatastoreController,
  updateLocalDatastore,
} from "./local/LocalDatastore.ts";
import type * as Named from "./namespaceTypes.ts";
import { ACL } from "./object/ACL.ts";
import { CLP } from "./object/CLP.ts";
import { decode } from "./object/decode.ts";
import { encode, rejectObject } from "./object/encode.ts";
import { ParseFile } from "./object/File.ts";
import { GeoPoint } from "./object/GeoPoint.ts";
import * as Op from "./object/ops.ts";
import { ParseObject } from "./object/ParseObject.ts";
import { Polygon } from "./object/Polygon.ts";
import { Relation } from "./object/Relation.ts";
import { Plugins } from "./plugins.ts";
import { Push } from "./push.ts";
import { Query } from "./query/Query.ts";
import { Schema } from "./schema.ts";
import { initialize, initPlugins, start } from "./start.ts";
import { type AsyncStorage, asyncStorage } from "./storage.ts";
import { type Method, type RequestOptions, request, requestObject, send, VERSION } from "./transport.ts";
import { UI } from "./ui.ts";
import { Units } from "./units.ts";
import { AnonymousUtils } from "./user/AnonymousUtils.ts";
import { FacebookUtils } from "./user/FacebookUtils.ts";
import { Installation } from "./user/Installation.ts";
import { Role } from "./user/Role.ts";
import { Session } from "./user/Session.ts";
import { User } from "./user/User.ts";
import {
  AbstractWeb3Connector,
  addNetwork,
  authenticate,
  deactivateWeb3,
  type EnableOptions,
  enableWeb3,
  executeFunction,
  getSigningData,
  isMetaMaskInstalled,
  isWeb3Enabled,
  link,
  sendTransaction,
  signMessage,
  signTypedData,
  simulate,
  switchNetwork,
  transfer,
  unlink,
  type WalletEvents,
  walletEvents,
  walletState,
} from "./wallet/index.ts";
import { getWeb3Connector } from "./wallet/legacyConnectors.ts";
import { otherChain } from "./wallet/otherChains.ts";
import { SolanaAPI } from "./web3api/solana.ts";
import { Web3API } from "./web3api/web3api.ts";

/**
 * Everything under its Moralis name. Importing it bundles the whole package; applications that care
 * about their size use named imports.
 */
const members = {
  Dot: /* @__PURE__ */ otherChain("dot"),
  Elrond: /* @__PURE__ */ otherChain("erd"),
  Erd: /* @__PURE__ */ otherChain("erd"),
  AbstractWeb3Connector,
  ACL,
  Analytics,
  AnonymousUtils,
  CLP,
  Chains,
  Cloud,
  Config,
  CoreManager,
  Error: ParseError,
  FacebookUtils,
  File: ParseFile,
  GeoPoint,
  Hooks,
  Installation,
  LiveQuery,
  LiveQueryClient,
  Object: ParseObject,
  Op,
  Plugins,
  Polygon,
  Push,
  Query,
  Relation,
  Role,
  Schema,
  Session,
  SolanaAPI,
  UI,
  Units,
  User,
  Web3API,
  start,
  initialize,
  initPlugins,
  version: VERSION,
  getAllERC20,
  getERC20,
  getNFTs,
  getNFTsCount,
  getTransactions,
  getTransactionsCount,
  setAsyncStorage: (area: AsyncStorage) => configure({ storage: asyncStorage(area) }),
  Storage,
  LocalDatastore: {
    get isEnabled(): boolean {
      return isLocalDatastoreEnabled();
    },
    updateFromServer: updateLocalDatastore,
  },
  enableLocalDatastore,
  isLocalDatastoreEnabled,
  setLocalDatastoreController,
  dumpLocalDatastore,
  enableEncryptedUser: () => enableEncryptedUser(),
  isEncryptedUserEnabled,
  _getInstallationId: () => installationId(),
  _encode: (value: unknown, _: unknown, refuseObjects = false) =>
    encode(value, refuseObjects ? { object: rejectObject } : {}),
  _decode: (_: unknown, value: JsonValue) => decode(value),
  _request: async (method: Method, path: string, data: JsonObject = {}, options: RequestOptions = {}) =>
    (await request(method, path, data, options)).body,
  _ajax: async (method: string, url: string, body: string, headers: Record<string, string> = {}) => {
    const answer = await send(url, { method, headers, body }, {}, connection());
    return { status: answer.status, response: answer.body };
  },
  /** Keys of the hosted service, which does not exist here. */
  getApiKeys: async (_secret: string): Promise<never> => {
    throw new Error("Could not fetch keys with moralisSecret");
  },
  /** The health report of the server. */
  getServerHealth: () => requestObject("GET", "health"),

  authenticate,
  link,
  unlink,
  enableWeb3: async (options?: EnableOptions) => web3Of(await enableWeb3(options)),
  deactivateWeb3,
  cleanup: deactivateWeb3,
  isWeb3Enabled,
  /** The same by its older name. */
  ensureWeb3IsInstalled: isWeb3Enabled,
  getWeb3Connector,
  isMetaMaskInstalled,
  getSigningData,
  switchNetwork,
  addNetwork,
  transfer,
  executeFunction,
  sendTransaction,
  simulate,
  signMessage,
  signTypedData,
  /** Hex, null without a wallet. */
  getChainId: () => enabled()?.chainId ?? null,
  on: <E extends keyof WalletEvents>(event: E, listener: (...args: WalletEvents[E]) => void) =>
    walletEvents.on(event, listener),
  once: <E extends keyof WalletEvents>(event: E, listener: (...args: WalletEvents[E]) => void) =>
    walletEvents.once(event, listener),
  off: <E extends keyof WalletEvents>(event: E, listener: (...args: WalletEvents[E]) => void) =>
    walletEvents.off(event, listener),
  addListener: <E extends keyof WalletEvents>(event: E, listener: (...args: WalletEvents[E]) => void) =>
    walletEvents.on(event, listener),
  removeListener: <E extends keyof WalletEvents>(event: E, listener: (...args: WalletEvents[E]) => void) =>
    walletEvents.off(event, listener),
  removeAllListeners: (event?: keyof WalletEvents) => walletEvents.removeAll(event),
  onWeb3Enabled: (listener: (...args: WalletEvents["web3Enabled"]) => void) =>
    walletEvents.on("web3Enabled", listener),
  onWeb3Deactivated: (listener: (...args: WalletEvents["web3Deactivated"]) => void) =>
    walletEvents.on("web3Deactivated", listener),
  onChainChanged: (listener: (...args: WalletEvents["chainChanged"]) => void) =>
    walletEvents.on("chainChanged", listener),
  onAccountChanged: (listener: (...args: WalletEvents["accountChanged"]) => void) =>
    walletEvents.on("accountChanged", listener),
  onConnect: (listener: (...args: WalletEvents["provider-connect"]) => void) =>
    walletEvents.on("provider-connect", listener),
  onDisconnect: (listener: (...args: WalletEvents["provider-disconnect"]) => void) =>
    walletEvents.on("provider-disconnect", listener),

  get account(): string | null {
    return enabled()?.account ?? null;
  },
  get chainId(): string | null {
    return enabled()?.chainId ?? null;
  },
  get provider() {
    return enabled()?.provider ?? null;
  },
  /** The wallet's provider; with ethers, wrapped into its Web3Provider. */
  get web3() {
    const wallet = enabled();
    return wallet ? web3Of(wallet.provider) : null;
  },
  /** The wallet state for legacy code; null without a wallet. */
  get internalWeb3Provider() {
    const wallet = enabled();
    if (!wallet) return null;
    const { account, chainId, connector, provider } = wallet;
    return { account, chainId, connector, provider, web3: web3Of(provider) };
  },
  /** ethers 5. Throws unless it was loaded (`loadEthers`, `start({ ethers })`). */
  get web3Library() {
    return web3Library();
  },
  get connector() {
    return enabled()?.connector ?? null;
  },
  get connectorType(): string | null {
    return enabled()?.connector.type ?? null;
  },
  get network(): string | null {
    return enabled()?.connector.network ?? null;
  },
  get isEnablingWeb3(): boolean {
    return walletState().status === "enabling";
  },

  get applicationId(): string | undefined {
    return currentConnection()?.applicationId;
  },
  set applicationId(applicationId: string) {
    reconfigure({ applicationId });
  },
  get javaScriptKey(): string | undefined {
    return currentConnection()?.javascriptKey;
  },
  set javaScriptKey(javascriptKey: string | undefined) {
    reconfigure({ javascriptKey });
  },
  get masterKey(): string | undefined {
    return currentConnection()?.masterKey;
  },
  set masterKey(masterKey: string | undefined) {
    reconfigure({ masterKey });
  },
  get serverURL(): string | undefined {
    return setting("serverUrl");
  },
  set serverURL(url: string) {
    configure({ serverUrl: url.replace(/\/+$/, "") });
  },
  get liveQueryServerURL(): string | undefined {
    return setting("liveQueryUrl");
  },
  set liveQueryServerURL(liveQueryUrl: string) {
    configure({ liveQueryUrl });
  },
  get idempotency(): boolean {
    return setting("idempotency") ?? false;
  },
  set idempotency(idempotency: boolean) {
    configure({ idempotency });
  },
  get serverAuthType(): string | undefined {
    return setting("serverAuthType");
  },
  set serverAuthType(serverAuthType: string) {
    configure({ serverAuthType });
  },
  get serverAuthToken(): string | undefined {
    return setting("serverAuthToken");
  },
  set serverAuthToken(serverAuthToken: string) {
    configure({ serverAuthToken });
  },
  get encryptedUser(): boolean {
    return isEncryptedUserEnabled();
  },
  set encryptedUser(isEncrypted: boolean) {
    if (isEncrypted) enableEncryptedUser();
    else configure({ userCipher: undefined });
  },
  get secret(): string | undefined {
    return setting("secret");
  },
  set secret(secret: string) {
    configure({ secret });
  },
};

function enabled() {
  const state = walletState();
  return state.status === "enabled" ? state : undefined;
}

type Members = typeof members;
/** All of the client under one name. */
export interface MoralisNamespace extends Members {
  /** The namespace itself, for legacy code. */
  readonly Web3: MoralisNamespace;
  readonly Moralis: MoralisNamespace;
}

/** The whole client as one namespace. Named imports let bundlers leave out what is not used. */
export const Moralis: MoralisNamespace = /* @__PURE__ */ withSelfReferences(members);

/** The types by their Moralis names: `Moralis.User`, `Moralis.Object<Fields>`. */
export declare namespace Moralis {
  type ACL = Named.ACL;
  type Attributes = Named.Attributes;
  type BaseAttributes = Named.BaseAttributes;
  type Error = Named.Error;
  type File = Named.File;
  type GeoPoint = Named.GeoPoint;
  type LiveQuerySubscription = Named.LiveQuerySubscription;
  type Object<A extends object = Named.Attributes> = Named.Object<A>;
  type Polygon = Named.Polygon;
  type Query<T extends Named.Object<object> = Named.Object> = Named.Query<T>;
  type Relation<T extends Named.Object<object> = Named.Object> = Named.Relation<T>;
  type Role = Named.Role;
  type Session = Named.Session;
  type User<A extends object = Named.Attributes> = Named.User<A>;
}

function withSelfReferences(target: Members): MoralisNamespace {
  const self = { get: () => target, enumerable: false };
  // Its getter throws without ethers: a spread or a serializer must not call it.
  Object.defineProperty(target, "web3Library", { enumerable: false });
  // The two properties that complete the type are defined here.
  return Object.defineProperties(target, { Web3: self, Moralis: self }) as MoralisNamespace;
}
