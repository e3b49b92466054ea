import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LOWER, type ScriptedProvider, scriptedProvider } from "../../test/scriptedProvider.ts";
import { connect } from "../connection.ts";
import { memoryStorage } from "../storage.ts";
import type { AbstractWeb3Connector } from "./Connector.ts";
import { connectorNamed } from "./connectors.ts";
import { registerWalletLibrary } from "./libraries.ts";
import { type MagicLinkOptions, MagicWeb3Connector } from "./magicLink.ts";
import { type WalletConnectOptions, WalletConnectWeb3Connector } from "./walletConnect.ts";
import { Web3AuthConnector, type Web3AuthOptions } from "./web3Auth.ts";

/*
 * The libraries themselves talk to services on the internet. What stands in for them here has the face that
 * they have, and is brought as applications bring them: by `load`.
 */

let provider: ScriptedProvider;
let log: string[];
let settings: unknown;
let constructed: number;

beforeEach(() => {
  provider = scriptedProvider();
  log = [];
  settings = undefined;
  constructed = 0;
});
afterEach(() => vi.unstubAllGlobals());

const notInstalled = () =>
  Promise.reject(Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" }));

describe("connectorNamed()", () => {
  it.each([
    ["walletconnect", "WalletConnect"],
    ["walletConnect", "WalletConnect"],
    ["wc", "WalletConnect"],
    ["network", "network"],
    ["magicLink", "MagicLink"],
    ["web3Auth", "web3Auth"],
    ["keystore", "keystore"],
    ["metamask", "injected"],
    ["injected", "injected"],
    [undefined, "injected"],
  ])("returns for %s the connector %s, which also has its own type as a name", async (name, type) => {
    const connector: AbstractWeb3Connector = new (await connectorNamed(name))();
    expect(connector.type).toBe(type);
    expect(new (await connectorNamed(type))().type).toBe(type);
  });
});

describe("Magic", () => {
  let signedIn: string | null;
  let failure: Error | undefined;
  let staysLoggedOut = false;
  beforeEach(() => {
    signedIn = null;
    failure = undefined;
    staysLoggedOut = false;
  });

  class Magic {
    rpcProvider = provider;
    constructor(apiKey: string, options: object) {
      constructed += 1;
      settings = { apiKey, ...options };
    }
    auth = {
      loginWithMagicLink: async ({ email }: { email: string }) => {
        log.push(`e-mail to ${email}`);
        if (failure) throw failure;
        if (!staysLoggedOut) signedIn = email;
      },
    };
    user = {
      isLoggedIn: async () => signedIn !== null,
      getInfo: async () => ({ email: signedIn }),
      logout: async () => {
        log.push("logout");
        signedIn = null;
      },
    };
  }

  const complete: MagicLinkOptions = {
    email: "ada@test.local",
    apiKey: "pk",
    network: "sepolia",
    load: async () => ({ Magic }),
  };
  const open = (options: MagicLinkOptions = {}) =>
    new MagicWeb3Connector().activate({ ...complete, ...options });

  it.each([
    ["email", '"email" not provided, please provide Email'],
    ["apiKey", '"apiKey" not provided, please provide Api Key'],
    ["network", '"network" not provided, please provide network'],
  ])(
    "requires the option %s",
    {
      tags: [
        "5.email-link.email-required",
        "8.wallet.missing-email",
        "5.email-link.api-key-required",
        "8.wallet.missing-api-key",
        "5.email-link.network-required",
        "8.wallet.missing-network",
      ],
    },
    async (field, message) => {
      await expect(open({ [field]: undefined })).rejects.toThrow(message);
      expect(constructed).toBe(0);
    },
  );

  it("loads the library that the application registered if a call has no loader", async () => {
    registerWalletLibrary("magic-sdk", async () => ({ Magic }));
    expect(await open({ load: undefined })).toMatchObject({ account: LOWER });
    registerWalletLibrary("magic-sdk", notInstalled);
    await expect(open({ load: undefined })).rejects.toThrow('dependency "magic-sdk" is missing');
  });

  it("reports a library that is not installed", async () => {
    await expect(open({ load: notInstalled })).rejects.toThrow(
      'Cannot enable via MagicLink: dependency "magic-sdk" is missing',
    );
  });

  it("reports the error of a broken library instead of a missing one", async () => {
    const load = () => Promise.reject(new SyntaxError("Unexpected token"));
    await expect(open({ load })).rejects.toThrow("Unexpected token");
  });

  it("uses the library of a script in the page, too", async () => {
    vi.stubGlobal("Magic", Magic);
    await open({ load: notInstalled });
    expect(constructed).toBe(1);
  });

  it("reports to check network and apikey if the email cannot be sent", {
    tags: ["8.wallet.magic-link-enable"],
  }, async () => {
    failure = new Error("Magic RPC Error: [-32600]");
    await expect(open()).rejects.toMatchObject({
      message: "Error during enable via MagicLink, please double check network and apikey",
      cause: failure,
    });
  });

  it("reports a login that did not succeed", { tags: ["8.wallet.magic-login-failed"] }, async () => {
    staysLoggedOut = true;
    await expect(open()).rejects.toThrow("login to magic failed");
  });

  it("returns the account and the chain after the login", async () => {
    expect(await open()).toEqual({ provider, account: LOWER, chainId: "0x539" });
    expect(settings).toEqual({ apiKey: "pk", network: "sepolia" });
    expect(log).toEqual(["e-mail to ada@test.local"]);
  });

  it("sends no email if the user is signed in, unless newSession or another email is given", async () => {
    signedIn = "Ada@test.local";
    await open();
    expect(log).toEqual([]);
    await open({ newSession: true });
    expect(log).toEqual(["logout", "e-mail to ada@test.local"]);
    await open({ email: "bob@test.local" });
    expect(log.at(-1)).toBe("e-mail to bob@test.local");
  });

  it("resumes after a reload if the user is signed in, and logs out on deactivate()", async () => {
    const connector = new MagicWeb3Connector();
    expect(await connector.isAuthorized(complete)).toBe(false);
    signedIn = "ada@test.local";
    expect(await connector.isAuthorized(complete)).toBe(true);
    await connector.activate(complete);
    expect(constructed).toBe(1);
    expect(connector.canResume(complete)).toBe(true);
    expect(JSON.parse(JSON.stringify(connector.persistedOptions(complete)))).toEqual({
      email: "ada@test.local",
      apiKey: "pk",
      network: "sepolia",
    });
    await connector.deactivate();
    expect(log).toEqual(["logout"]);
    expect(connector.account).toBeNull();
    expect(provider.listenerCount()).toBe(0);
  });
});

describe("Web3Auth", () => {
  let answer: () => Promise<unknown>;
  let closes: ((visible: boolean) => void) | undefined;
  beforeEach(() => {
    answer = async () => provider;
    closes = undefined;
  });

  class Web3Auth {
    connected = false;
    provider: unknown = null;
    loginModal = {
      on: (_event: string, listener: (visible: boolean) => void) => {
        closes = listener;
      },
      removeListener: () => {
        closes = undefined;
      },
    };
    constructor(options: object) {
      constructed += 1;
      settings = options;
    }
    async init() {
      log.push("init");
    }
    async connect() {
      log.push("connect");
      this.provider = await answer();
      this.connected = true;
      return this.provider;
    }
    async logout() {
      log.push("logout");
      this.connected = false;
    }
  }

  const complete: Web3AuthOptions = { clientId: "client", load: async () => ({ Web3Auth }) };
  const open = (options: Web3AuthOptions = {}) =>
    new Web3AuthConnector().activate({ ...complete, ...options });

  it("requires a clientId", {
    tags: ["5.web3auth.client-id-required", "8.sdk.web3auth-client-id"],
  }, async () => {
    await expect(open({ clientId: undefined })).rejects.toThrow(
      '"clientId" not provided, please provide clientId',
    );
    expect(constructed).toBe(0);
  });

  it("reports a library that is not installed", { tags: ["8.sdk.web3auth-not-installed"] }, async () => {
    await expect(open({ load: notInstalled })).rejects.toThrow(
      '"@web3auth/modal" not installed, please install',
    );
  });

  it("uses Ethereum and the dark theme by default", {
    tags: ["9.web3auth.default-chain", "9.web3auth.default-theme"],
  }, async () => {
    await open();
    expect(settings).toMatchObject({
      clientId: "client",
      defaultChainId: "0x1",
      chainConfig: { chainNamespace: "eip155", chainId: "0x1" },
      uiConfig: { theme: "dark", mode: "dark" },
    });
    await open({ chainId: 137, theme: "light", loginMethodsOrder: ["google"], appLogo: "/logo.svg" });
    expect(settings).toMatchObject({
      defaultChainId: "0x89",
      uiConfig: { theme: "light", loginMethodsOrder: ["google"], appLogo: "/logo.svg" },
    });
  });

  it("returns the account and the chain after the login", async () => {
    expect(await open()).toEqual({ provider, account: LOWER, chainId: "0x539" });
    expect(log).toEqual(["init", "connect"]);
  });

  it("reads the provider from the connection of version 11", async () => {
    class Newest extends Web3Auth {
      get connection() {
        return this.connected ? { ethereumProvider: provider } : null;
      }
      override async connect() {
        this.connected = true;
        return this.connection;
      }
    }
    const given = await open({ load: async () => ({ Web3Auth: Newest }) });
    expect(given).toEqual({ provider, account: LOWER, chainId: "0x539" });
  });

  it("calls initModal() of versions before 10", async () => {
    class Old extends Web3Auth {
      async initModal() {
        log.push("initModal");
      }
    }
    await open({ load: async () => ({ Web3Auth: Old }) });
    expect(log).toEqual(["initModal", "connect"]);
  });

  it("reports a closed modal, with or without an error of the library", {
    tags: ["8.sdk.web3auth-user-closed"],
  }, async () => {
    answer = () => Promise.reject(new Error("User closed the modal"));
    await expect(open()).rejects.toThrow("User closed login modal");
    answer = () => new Promise(() => {});
    const opening = open();
    await vi.waitFor(() => expect(closes).toBeDefined());
    closes?.(false);
    await expect(opening).rejects.toThrow("User closed login modal");
    expect(closes).toBeUndefined();
  });

  it("reports a wallet that fails after the login", {
    tags: ["8.sdk.web3auth-authenticating"],
  }, async () => {
    provider.responses.eth_accounts = new Error("shares are missing");
    await expect(open()).rejects.toThrow("Could not connect via Web3Auth, error while authenticating");
  });

  it.each([
    [
      "options that the library rejects",
      {
        load: async () => ({
          Web3Auth: class {
            constructor() {
              throw new Error("clientId");
            }
          },
        }),
      },
      "error during initializing Web3Auth",
    ],
    ["a login without a wallet", {}, "error in connecting to provider"],
    ["an invalid chain", { chainId: "eth" }, '"eth" is not a chain id'],
  ])("rejects %s", async (_name, options, message) => {
    answer = async () => null;
    await expect(open(options)).rejects.toThrow(message);
  });

  it("resumes after a reload without the modal, and logs out on deactivate()", async () => {
    const connector = new Web3AuthConnector();
    await connector.activate(complete);
    expect(await connector.isAuthorized(complete)).toBe(true);
    expect(connector.canResume(complete)).toBe(true);
    await connector.activate(complete);
    expect(log).toEqual(["init", "connect"]);
    await connector.deactivate();
    expect(log.at(-1)).toBe("logout");
  });
});

describe("WalletConnect", () => {
  let session: object | undefined;
  let approve: (() => void) | undefined;
  let waitsForApproval: boolean;
  beforeEach(() => {
    session = undefined;
    approve = undefined;
    waitsForApproval = false;
  });

  const EthereumProvider = {
    async init(options: object) {
      constructed += 1;
      settings = options;
      Object.defineProperty(provider, "session", { get: () => session, configurable: true });
      return Object.assign(provider, {
        accounts: [LOWER.toUpperCase().replace("0X", "0x")],
        chainId: 137,
        async connect() {
          log.push("connect");
          provider.emit("display_uri", "wc:topic@2?relay-protocol=irn");
          if (waitsForApproval) {
            await new Promise<void>((resolve) => {
              approve = resolve;
            });
          }
          session = {};
        },
        async disconnect() {
          log.push("disconnect");
          session = undefined;
        },
        signer: {
          async abortPairingAttempt() {
            log.push("abort");
          },
        },
      });
    },
  };

  const complete: WalletConnectOptions = { projectId: "project", load: async () => ({ EthereumProvider }) };
  const open = (options: WalletConnectOptions = {}, connector = new WalletConnectWeb3Connector()) =>
    connector.activate({ ...complete, ...options });

  it("reports a library that is not installed", { tags: ["8.sdk.walletconnect-missing"] }, async () => {
    const message =
      'Cannot enable via WalletConnect: dependency "@walletconnect/ethereum-provider" is missing';
    await expect(
      new WalletConnectWeb3Connector().activate({ ...complete, load: notInstalled }),
    ).rejects.toThrow(message);
  });

  it("requires a projectId", async () => {
    await expect(new WalletConnectWeb3Connector().activate({})).rejects.toThrow('"projectId" not provided');
  });

  it("passes the URI to onUri, and returns the account and the chain once a wallet has connected", async () => {
    const uris: string[] = [];
    const given = await open({ onUri: (uri) => uris.push(uri) });
    expect(uris).toEqual(["wc:topic@2?relay-protocol=irn"]);
    expect(given).toEqual({ provider, account: LOWER, chainId: "0x89" });
    expect(settings).toMatchObject({ projectId: "project", optionalChains: [1], showQrModal: false });
  });

  it("requests the given chains, and shows the library's modal by default", async () => {
    await open({
      chainId: "0x89",
      chains: [1, "0xa"],
      mobileLinks: ["rainbow"],
      relayUrl: "ws://relay.test",
    });
    expect(settings).toEqual({
      projectId: "project",
      chains: [137],
      optionalChains: [137, 1, 10],
      showQrModal: true,
      qrModalOptions: { mobileWallets: ["rainbow"] },
      relayUrl: "ws://relay.test",
    });
  });

  it("aborts the pairing at the relay when it is cancelled", async () => {
    waitsForApproval = true;
    const controller = new AbortController();
    const opening = new WalletConnectWeb3Connector().activate({ ...complete, signal: controller.signal });
    await vi.waitFor(() => expect(approve).toBeDefined());
    controller.abort(new Error("given up"));
    await expect(opening).rejects.toThrow("given up");
    expect(log).toContain("abort");
    // A wallet that connects later is disconnected.
    approve?.();
    await vi.waitFor(() => expect(log).toContain("disconnect"));
  });

  it("reuses a pairing that could not be aborted for the next activation", async () => {
    waitsForApproval = true;
    const controller = new AbortController();
    const first = new WalletConnectWeb3Connector().activate({ ...complete, signal: controller.signal });
    await vi.waitFor(() => expect(approve).toBeDefined());
    controller.abort(new Error("given up"));
    await expect(first).rejects.toThrow("given up");
    const uris: string[] = [];
    const second = open({ onUri: (uri: string) => uris.push(uri) });
    await vi.waitFor(() => expect(uris).toHaveLength(1));
    approve?.();
    expect(await second).toMatchObject({ account: expect.any(String) });
    expect(log.filter((call) => call === "connect")).toHaveLength(1);
  });

  it("reuses an existing session unless newSession is set", async () => {
    session = {};
    await open();
    expect(log).toEqual([]);
    await open({ newSession: true });
    expect(log).toEqual(["disconnect", "connect"]);
  });

  it("resumes after a reload if there is a session, and disconnects on deactivate()", async () => {
    const connector = new WalletConnectWeb3Connector();
    expect(await connector.isAuthorized(complete)).toBe(false);
    session = {};
    expect(await connector.isAuthorized(complete)).toBe(true);
    await connector.activate(complete);
    expect(connector.canResume(complete)).toBe(true);
    expect(JSON.parse(JSON.stringify(connector.persistedOptions(complete)))).toEqual({
      projectId: "project",
    });
    expect(constructed).toBe(1);
    await connector.deactivate();
    expect(log).toEqual(["disconnect"]);
    expect(provider.listenerCount()).toBe(0);
  });

  it("switches and adds chains by the wallet", async () => {
    const connector = new WalletConnectWeb3Connector();
    await open({}, connector);
    await connector.switchNetwork(1);
    expect(provider.calls.at(-1)).toEqual({
      method: "wallet_switchEthereumChain",
      params: [{ chainId: "0x1" }],
    });
  });

  it("is initialized once per page for the same options", async () => {
    connect({ applicationId: "app", storage: memoryStorage() });
    await expect(open({ load: notInstalled })).rejects.toThrow("is missing");
    await open();
    await open();
    expect(constructed).toBe(1);
    await open({ chains: [137] });
    expect(constructed).toBe(2);
  });
});
