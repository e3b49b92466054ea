import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ACCOUNT, LOWER, type ScriptedProvider, scriptedProvider } from "../../test/scriptedProvider.ts";
import { ProviderError } from "./eip1193.ts";

type Injected = typeof import("./injected.ts");
type Discovery = typeof import("./discovery.ts");

let page: EventTarget & { ethereum?: ScriptedProvider };
let injected: Injected;
let discovery: Discovery;

// A page of its own for every test: what a page knows of wallets stays with it.
beforeEach(async () => {
  vi.resetModules();
  page = new EventTarget();
  vi.stubGlobal("window", page);
  injected = await import("./injected.ts");
  discovery = await import("./discovery.ts");
});
afterEach(() => vi.unstubAllGlobals());

function announce(name: string, provider: unknown, info: object = {}): void {
  const detail = {
    info: { uuid: name, name, icon: "data:image/png;base64,AA==", rdns: `test.${name}`, ...info },
    provider,
  };
  const dispatchAnnouncement = () =>
    page.dispatchEvent(Object.assign(new Event("eip6963:announceProvider"), { detail }));
  page.addEventListener("eip6963:requestProvider", dispatchAnnouncement);
  dispatchAnnouncement();
}

const open = async (provider = scriptedProvider(), options = {}) => {
  page.ethereum = provider;
  const connector = new injected.InjectedWeb3Connector();
  const given = await connector.activate(options);
  return { provider, connector, given };
};

describe("activating an injected wallet", () => {
  it("requests the accounts and the chain", {
    tags: ["7.wallet-request.accounts", "7.wallet-request.chain-id"],
  }, async () => {
    const { provider, given, connector } = await open();
    expect(provider.calls.map(({ method }) => method)).toEqual(["eth_requestAccounts", "eth_chainId"]);
    expect(given).toEqual({ provider, account: LOWER, chainId: "0x539" });
    expect(connector.account).toBe(LOWER);
  });

  it("accepts chain ids as numbers, decimal and hex strings, and nothing else", async () => {
    for (const [reported, hex] of [
      [1337, "0x539"],
      ["1337", "0x539"],
      ["0x539", "0x539"],
      ["0x0539", "0x539"],
      [-1, null],
      [1.5, null],
      ["<script>", null],
    ]) {
      const { given } = await open(scriptedProvider({ eth_chainId: reported }));
      expect(given.chainId).toBe(hex);
    }
  });

  it("rejects with the wallet's error if the user declines", async () => {
    const declined = new ProviderError(4001, "User rejected the request.");
    await expect(open(scriptedProvider({ eth_requestAccounts: declined }))).rejects.toMatchObject({
      code: 4001,
    });
  });
});

describe("several wallets in one browser (EIP-6963)", () => {
  it("are selected by rdns", async () => {
    const [one, two] = [scriptedProvider(), scriptedProvider({ eth_chainId: "0x89" })];
    announce("one", one);
    announce("two", two);
    expect(discovery.injectedWallets.get().map(({ rdns }) => rdns)).toEqual(["test.one", "test.two"]);
    const { given } = await open(scriptedProvider(), { rdns: "test.two" });
    expect(given.provider).toBe(two);
    expect(one.calls).toEqual([]);
  });

  it("are selected by uuid if two have the same rdns", async () => {
    const [one, two] = [scriptedProvider(), scriptedProvider()];
    announce("one", one, { rdns: "test.same" });
    announce("two", two, { rdns: "test.same" });
    expect((await open(scriptedProvider(), { rdns: "test.same", uuid: "two" })).given.provider).toBe(two);
    expect((await open(scriptedProvider(), { uuid: "two" })).given.provider).toBe(two);
    expect((await open(scriptedProvider(), { rdns: "test.same", uuid: "gone" })).given.provider).toBe(one);
    await expect(open(scriptedProvider(), { uuid: "gone" })).rejects.toThrow("Non ethereum enabled browser");
  });

  it("are awaited on a page that has just loaded", async () => {
    const connector = new injected.InjectedWeb3Connector();
    const opening = connector.activate({ rdns: "test.one" });
    const one = scriptedProvider();
    announce("one", one);
    expect((await opening).provider).toBe(one);
  });

  it("are not found without events on window, as in React Native", async () => {
    vi.stubGlobal("window", {});
    expect(discovery.injectedWallets.get()).toEqual([]);
    expect(await discovery.isMetaMaskInstalled()).toBe(false);
  });

  it("are listed once if they are announced several times", () => {
    const delivered = vi.fn();
    discovery.injectedWallets.subscribe(delivered);
    announce("one", scriptedProvider());
    announce("one", scriptedProvider());
    expect(discovery.injectedWallets.get().length).toBe(1);
    expect(delivered).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["no provider", {}, undefined],
    ["no name", { name: 7 }, scriptedProvider()],
  ])("are ignored if they have %s", (_name, info, provider) => {
    announce("one", provider, info);
    expect(discovery.injectedWallets.get()).toEqual([]);
  });

  it("have no icon with a remote URL", () => {
    announce("one", scriptedProvider(), { icon: "https://tracker.test/pixel.png" });
    expect(discovery.injectedWallets.get()[0]?.icon).toBe("");
  });

  it("are used in the order of announcement if there is no window.ethereum", async () => {
    const one = scriptedProvider();
    announce("one", one);
    discovery.injectedWallets.get();
    const given = await new injected.InjectedWeb3Connector().activate();
    expect(given.provider).toBe(one);
  });

  it("count as an installed wallet, like window.ethereum", async () => {
    expect(await discovery.isMetaMaskInstalled()).toBe(false);
    announce("one", scriptedProvider());
    expect(await discovery.isMetaMaskInstalled()).toBe(true);
  });
});

it("enableWeb3() reuses the selected wallet if the next call does not select one", async () => {
  const wallet = await import("./wallet.ts");
  const [one, two] = [scriptedProvider(), scriptedProvider()];
  announce("one", one);
  announce("two", two);
  await wallet.enableWeb3({ rdns: "test.two" });
  expect(await wallet.enableWeb3()).toBe(two);
  expect(wallet.withBrowserWallet({ signingMessage: "Hello" })).toMatchObject({
    rdns: "test.two",
    signingMessage: "Hello",
  });
  expect(await wallet.enableWeb3({ rdns: "test.one" })).toBe(one);
  await wallet.deactivateWeb3();
  expect(wallet.withBrowserWallet({})).toEqual({});
});

describe("chains of an injected wallet", () => {
  const CHAIN = {
    chainId: "0x89",
    chainName: "Polygon",
    currencyName: "Polygon Ecosystem Token",
    currencySymbol: "POL",
    rpcUrl: "https://node.test",
    blockExplorerUrl: "https://explorer.test",
  };

  it("are switched by wallet_switchEthereumChain", { tags: ["7.wallet-request.switch-chain"] }, async () => {
    const { connector, provider } = await open();
    await connector.switchNetwork(137);
    expect(provider.calls.at(-1)).toEqual({
      method: "wallet_switchEthereumChain",
      params: [{ chainId: "0x89" }],
    });
  });

  it("are not switched if the wallet already uses the chain", async () => {
    const { connector, provider } = await open();
    await connector.switchNetwork("0x539");
    await connector.switchNetwork(1337);
    expect(provider.calls.length).toBe(2);
  });

  it.each([
    ["as the code of the error", new ProviderError(4902, "Unrecognized chain")],
    [
      "as the code of a wrapped error of mobile wallets",
      Object.assign(new Error("internal"), { code: -32603, data: { originalError: { code: 4902 } } }),
    ],
  ])("that the wallet does not know reject with 4902, %s", async (_name, rejection) => {
    const { connector } = await open(scriptedProvider({ wallet_switchEthereumChain: rejection }));
    await expect(connector.switchNetwork("0x89")).rejects.toMatchObject({ code: 4902 });
  });

  it("are added with a currency of 18 decimals", {
    tags: [
      "7.wallet-request.add-chain",
      "7.wallet-request.add-chain-chain-id",
      "7.wallet-request.add-chain-name",
      "7.wallet-request.add-chain-currency",
      "7.wallet-request.add-chain-rpc-url",
      "7.wallet-request.add-chain-explorer-url",
      "9.added-chain-decimals",
    ],
  }, async () => {
    const { connector, provider } = await open();
    await connector.addNetwork(CHAIN);
    expect(provider.calls.at(-1)).toEqual({
      method: "wallet_addEthereumChain",
      params: [
        {
          chainId: "0x89",
          chainName: "Polygon",
          nativeCurrency: { name: "Polygon Ecosystem Token", symbol: "POL", decimals: 18 },
          rpcUrls: ["https://node.test"],
          blockExplorerUrls: ["https://explorer.test"],
        },
      ],
    });
    await connector.addNetwork({ ...CHAIN, blockExplorerUrl: undefined });
    expect(provider.calls.at(-1)?.params).toMatchObject([{ blockExplorerUrls: null }]);
  });
});

describe("an injected wallet after a reload", () => {
  it("is authorized only if eth_accounts returns an account", async () => {
    page.ethereum = scriptedProvider();
    const connector = new injected.InjectedWeb3Connector();
    expect(await connector.isAuthorized()).toBe(true);
    expect(page.ethereum.calls).toEqual([{ method: "eth_accounts", params: undefined }]);
    page.ethereum.responses.eth_accounts = [];
    expect(await connector.isAuthorized()).toBe(false);
    expect(await connector.isAuthorized({ rdns: "test.gone" })).toBe(false);
  });
});

it("deactivate() removes the listeners from the wallet", async () => {
  const { connector, provider } = await open(scriptedProvider({ eth_requestAccounts: [ACCOUNT] }));
  expect(provider.listenerCount()).toBe(4);
  await connector.deactivate();
  expect(provider.listenerCount()).toBe(0);
  expect([connector.account, connector.chainId]).toEqual([null, null]);
});
