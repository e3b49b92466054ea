import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LOWER, type ScriptedProvider, scriptedProvider } from "../../test/scriptedProvider.ts";
import { connect } from "../connection.ts";
import { memoryStorage, type StorageArea, syncStorage } from "../storage.ts";
import { getActiveAccount } from "./activeAccount.ts";
import { AbstractWeb3Connector, type Activation } from "./Connector.ts";
import { registerConnector } from "./connectors.ts";
import { ProviderError } from "./eip1193.ts";
import { addNetwork, switchNetwork } from "./switchNetwork.ts";
import {
  deactivateWeb3,
  enabledWallet,
  enableWeb3,
  isWeb3Enabled,
  reconnectWallet,
  walletEvents,
  walletState,
} from "./wallet.ts";

let made: Scripted[];
let provider: ScriptedProvider;
let storage: StorageArea;

/** A connector of the application's own, with a scripted wallet behind it. */
class Scripted extends AbstractWeb3Connector {
  override type = "scripted";
  left = 0;
  readonly given: object | undefined;

  constructor(options?: object) {
    super();
    this.given = options;
    made.push(this);
  }

  override async activate(_options?: object): Promise<Activation> {
    const accounts = await provider.request({ method: "eth_requestAccounts" });
    return this.completeActivation(provider, accounts, await provider.request({ method: "eth_chainId" }));
  }

  override async deactivate(): Promise<void> {
    this.left += 1;
    await super.deactivate();
  }
}

class Switching extends Scripted {
  override type = "switching";
  async switchNetwork(chainId: string | number): Promise<void> {
    await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
  }
  async addNetwork(chain: object): Promise<void> {
    await provider.request({ method: "wallet_addEthereumChain", params: [chain] });
  }
}

beforeEach(() => {
  made = [];
  provider = scriptedProvider();
  storage = memoryStorage();
  connect({ applicationId: "app", storage });
});
afterEach(async () => {
  await deactivateWeb3();
  walletEvents.removeAll();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const enable = (options = {}) => enableWeb3({ connector: Scripted, ...options });
/** An answer that the test gives later. */
function later<T>() {
  let resolvePromise: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    resolvePromise = resolve;
  });
  return { answer: () => promise, give: resolvePromise };
}

describe("isWeb3Enabled()", () => {
  it("is true once the wallet is connected", { tags: ["4.web3-flag.true-on-connection"] }, async () => {
    const { answer, give: resolvePromise } = later();
    provider.responses.eth_requestAccounts = answer;
    const enabling = enable();
    expect(isWeb3Enabled()).toBe(false);
    resolvePromise([LOWER]);
    await enabling;
    expect(isWeb3Enabled()).toBe(true);
  });

  it("is false as soon as deactivateWeb3() is called, also for listeners of the event", {
    tags: ["4.web3-flag.false-on-deactivate", "4.web3-flag.false-on-deactivated"],
  }, async () => {
    await enable();
    const seen: boolean[] = [];
    walletEvents.on("web3Deactivated", () => seen.push(isWeb3Enabled()));
    const leaving = deactivateWeb3();
    expect(isWeb3Enabled()).toBe(false);
    await leaving;
    expect(seen).toEqual([false]);
  });

  it("is false after the provider disconnects", { tags: ["4.web3-flag.false-on-disconnect"] }, async () => {
    await enable();
    provider.emit("disconnect", new ProviderError(4900, "gone"));
    expect(isWeb3Enabled()).toBe(false);
  });

  it.each([
    ["as MetaMask's message says", { message: "MetaMask: Disconnected from chain. Attempting to connect." }],
    ["as the error code says", { code: 1013, message: "Disconnected from chain." }],
  ])("stays true while the wallet changes chains, %s", async (_name, error) => {
    await enable();
    provider.emit("disconnect", error);
    provider.emit("chainChanged", "0x2");
    await expect.poll(() => enabledWallet().chainId).toBe("0x2");
    expect(enabledWallet()).toMatchObject({ account: LOWER, connector: { account: LOWER } });
  });
});

describe("enableWeb3()", () => {
  it("accepts a connector's class, which receives the options, or an instance", async () => {
    await enable({ color: "red" });
    expect(made[0]?.given).toMatchObject({ color: "red" });
    const instance = new Scripted();
    await enableWeb3({ connector: instance });
    expect(enabledWallet().connector).toBe(instance);
  });

  it("accepts results of old connectors: numeric chain ids, mixed-case accounts or none", async () => {
    const answers = [
      { provider, account: "0xAB", chainId: 137 },
      { provider, chainId: "137" },
    ];
    class Old extends Scripted {
      override async activate(): Promise<Activation> {
        return JSON.parse(JSON.stringify(answers.shift()), (key, value) =>
          key === "provider" ? provider : value,
        );
      }
    }
    await enableWeb3({ connector: Old });
    expect(enabledWallet()).toMatchObject({ account: "0xab", chainId: "0x89" });
    await enableWeb3({ connector: Old });
    expect(enabledWallet()).toMatchObject({ account: null, chainId: "0x89" });
  });

  it("rejects a concurrent call with the old client's message, and continues the first one", async () => {
    const first = enable();
    await expect(enable()).rejects.toThrow(
      /^Cannot execute Moralis\.enableWeb3\(\), as Moralis Moralis\.enableWeb3\(\) already has been called, but is not finished yet $/,
    );
    await first;
    expect(isWeb3Enabled()).toBe(true);
  });

  it("deactivates the previous wallet", async () => {
    const onEvent = vi.fn();
    await enable();
    walletEvents.on("web3Deactivated", onEvent);
    await enable();
    expect(made.map(({ left }) => left)).toEqual([1, 0]);
    expect(onEvent).toHaveBeenCalledTimes(1);
    expect(provider.listenerCount()).toBe(4);
  });

  it("keeps the session of a connector that can resume", async () => {
    class Resuming extends Scripted {
      override canResume(): boolean {
        return true;
      }
    }
    await enableWeb3({ connector: Resuming });
    await enableWeb3({ connector: Resuming });
    expect(made.map(({ left }) => left)).toEqual([0]);
  });

  it("leaves no state behind when it fails, and can be called again", async () => {
    provider.responses.eth_chainId = new Error("broken");
    const onEvent = vi.fn();
    walletEvents.on("web3Deactivated", onEvent);
    await expect(enable()).rejects.toThrow("broken");
    expect(walletState()).toEqual({ status: "not enabled" });
    await expect.poll(() => made[0]?.left).toBe(1);
    provider.responses.eth_chainId = "0x1";
    await enable();
    expect(onEvent).not.toHaveBeenCalled();
    expect(isWeb3Enabled()).toBe(true);
  });

  it.each([
    ["after its deadline", { timeoutMs: 5 }, "did not answer in time"],
    ["on request", { signal: AbortSignal.timeout(5) }, "timeout"],
    ["when it was cancelled before", { signal: AbortSignal.abort(new Error("cancelled")) }, "cancelled"],
  ])("ends %s; a wallet that opens later is deactivated", async (_name, options, message) => {
    const { answer, give: resolvePromise } = later();
    provider.responses.eth_requestAccounts = answer;
    await expect(enable(options)).rejects.toThrow(message);
    expect(walletState()).toEqual({ status: "not enabled" });
    resolvePromise([LOWER]);
    await expect.poll(() => [made[0]?.left, provider.listenerCount()]).toEqual([1, 0]);
    expect(isWeb3Enabled()).toBe(false);
  });

  it("rejects if the wallet is deactivated meanwhile, without affecting the next call", async () => {
    const { answer, give: resolvePromise } = later();
    provider.responses.eth_requestAccounts = answer;
    const first = enable();
    await Promise.resolve();
    await deactivateWeb3();
    await expect(first).rejects.toThrow("The wallet was disconnected");
    expect(walletState()).toEqual({ status: "deactivated" });
    provider.responses.eth_requestAccounts = [LOWER];
    await enable();
    resolvePromise([LOWER]);
    await expect.poll(() => made[0]?.left).toBe(1);
    expect(enabledWallet().connector).toBe(made[1]);
  });

  it("succeeds even if a listener throws", async () => {
    vi.useFakeTimers();
    walletEvents.on("web3Enabled", () => {
      throw new Error("the listener's own");
    });
    await enable();
    expect(isWeb3Enabled()).toBe(true);
    expect(() => vi.runAllTimers()).toThrow("the listener's own");
  });

  it("handles connectors that throw instead of rejecting", async () => {
    class Throwing extends Scripted {
      override activate(): Promise<Activation> {
        throw new Error("no wallet");
      }
      override deactivate(): Promise<void> {
        throw new Error("no session");
      }
    }
    await expect(enableWeb3({ connector: Throwing })).rejects.toThrow("no wallet");
    expect(walletState()).toEqual({ status: "not enabled" });
  });

  it("is undone by deactivateWeb3() even if the connector never settles", async () => {
    vi.useFakeTimers();
    class Stuck extends Scripted {
      override deactivate(): Promise<void> {
        return new Promise(() => {});
      }
    }
    await enableWeb3({ connector: Stuck });
    const leaving = deactivateWeb3();
    expect(isWeb3Enabled()).toBe(false);
    await vi.runAllTimersAsync();
    await leaving;
  });
});

describe("a change in the wallet", () => {
  it("of the account updates the state and emits one event", async () => {
    await enable();
    const onEvent = vi.fn();
    walletEvents.on("accountChanged", onEvent);
    provider.emit("accountsChanged", ["0xCD"]);
    provider.emit("accountsChanged", ["0xCD"]);
    expect(enabledWallet().account).toBe("0xcd");
    expect(onEvent.mock.calls).toEqual([["0xcd"]]);
  });

  it("to locked leaves it enabled without an account until it is unlocked", async () => {
    await enable();
    provider.emit("accountsChanged", []);
    expect(enabledWallet().account).toBeNull();
    provider.emit("accountsChanged", [LOWER]);
    expect(enabledWallet().account).toBe(LOWER);
  });

  it("is detected by getActiveAccount(), which emits the events", async () => {
    await enable();
    const onEvent: unknown[] = [];
    walletEvents.on("accountChanged", (account) => onEvent.push(account));
    walletEvents.on("chainChanged", (chainId) => onEvent.push(chainId));
    Object.assign(provider.responses, { eth_accounts: ["0xCD"], eth_chainId: 137 });
    expect(await getActiveAccount()).toMatchObject({ account: "0xcd", chainId: "0x89" });
    expect(onEvent).toEqual(["0xcd", "0x89"]);
    expect(made[0]).toMatchObject({ account: "0xcd", chainId: "0x89" });
  });

  it("is not assumed if the wallet does not answer", async () => {
    await enable();
    const rejection = new ProviderError(4200, "not supported");
    Object.assign(provider.responses, { eth_accounts: rejection, eth_chainId: rejection });
    expect(await getActiveAccount()).toMatchObject({ account: LOWER, chainId: "0x539" });
  });
});

describe("chains of the enabled wallet", () => {
  it("cannot be switched or added if the connector does not support it", async () => {
    await enable();
    await expect(switchNetwork(1)).rejects.toThrow(
      /^Cannot call switchNetwork, as it does not exist on connector type "scripted"$/,
    );
    await expect(addNetwork("0x1", "Ethereum", "Ether", "ETH", "https://node.test")).rejects.toThrow(
      /^Cannot call addNetwork, as it does not exist on connector type "scripted"$/,
    );
  });

  it("are updated after a switch, whether the wallet emits an event or not", async () => {
    await enableWeb3({ connector: Switching });
    provider.responses.wallet_switchEthereumChain = () => {
      provider.responses.eth_chainId = "0x89";
      return null;
    };
    await switchNetwork(137);
    expect(enabledWallet().chainId).toBe("0x89");
  });

  it("are switched even if the wallet changed chains without an event", async () => {
    class Careful extends Switching {
      override async switchNetwork(chainId: string): Promise<void> {
        if (chainId !== this.chainId) await super.switchNetwork(chainId);
      }
    }
    await enableWeb3({ connector: Careful });
    provider.responses.eth_chainId = "0x89";
    provider.responses.wallet_switchEthereumChain = () => {
      provider.responses.eth_chainId = "0x539";
    };
    await switchNetwork("0x539");
    expect(enabledWallet().chainId).toBe("0x539");
    expect(provider.calls.map(({ method }) => method)).toContain("wallet_switchEthereumChain");
  });

  const chain = {
    chainName: "Polygon",
    currencyName: "Polygon Ecosystem Token",
    currencySymbol: "POL",
    rpcUrl: "https://node.test",
  };

  it("that the wallet does not know are rejected, or added if they are described", async () => {
    await enableWeb3({ connector: Switching });
    let known = false;
    Object.assign(provider.responses, {
      wallet_switchEthereumChain: () => {
        if (!known) throw new ProviderError(4902, "Unrecognized chain");
        provider.responses.eth_chainId = "0x89";
      },
      wallet_addEthereumChain: () => {
        known = true;
      },
    });
    await expect(switchNetwork("0x89")).rejects.toMatchObject({ code: 4902 });
    await switchNetwork("0x89", { chain });
    expect(provider.calls.find(({ method }) => method === "wallet_addEthereumChain")?.params).toEqual([
      { ...chain, chainId: "0x89" },
    ]);
    expect(enabledWallet().chainId).toBe("0x89");
  });

  it("are not added if the user declines the switch", async () => {
    await enableWeb3({ connector: Switching });
    provider.responses.wallet_switchEthereumChain = new ProviderError(4001, "declined");
    await expect(switchNetwork("0x89", { chain })).rejects.toMatchObject({ code: 4001 });
    expect(provider.calls.some(({ method }) => method === "wallet_addEthereumChain")).toBe(false);
  });

  it("have a timeout and an abort signal for switching", async () => {
    await enableWeb3({ connector: Switching });
    provider.responses.wallet_switchEthereumChain = () => new Promise(() => {});
    await expect(switchNetwork("0x89", { timeoutMs: 5 })).rejects.toThrow("did not answer in time");
    const signal = AbortSignal.abort(new Error("cancelled"));
    await expect(switchNetwork("0x89", { signal })).rejects.toThrow("cancelled");
  });
});

describe("reconnectWallet()", () => {
  const KEY = "Parse/app/wallet";
  const urls = { 1337: "http://127.0.0.1:9" };
  const storedWallet = () => (storage.kind === "sync" ? storage.area.getItem(KEY) : undefined);

  it("restores the wallet with its options, but never one with a private key", async () => {
    await enableWeb3({ provider: "network", urls });
    expect(JSON.parse(storedWallet() ?? "")).toEqual({ provider: "network", urls });
    const onEvent = vi.fn();
    walletEvents.on("web3Enabled", onEvent);
    await enableWeb3({ provider: "network", urls, privateKey: "01".repeat(32) });
    expect(storedWallet()).toBeNull();
    expect(await reconnectWallet()).toBe(false);
  });

  it("restores no wallet after deactivation, and no unregistered connector", async () => {
    await enable();
    expect(storedWallet()).toBeNull();
    await enableWeb3({ provider: "network", urls });
    await deactivateWeb3();
    expect(storedWallet()).toBeNull();
    expect(await reconnectWallet()).toBe(false);
  });

  it("restores a registered connector by its persisted options", async () => {
    class Registered extends Scripted {
      override type = "registered";
      override async isAuthorized(options: { key?: string } = {}) {
        return options.key === "known";
      }
      override persistedOptions({ key }: { key?: string } = {}) {
        return { key };
      }
    }
    registerConnector("registered", async () => Registered);
    await enableWeb3({ provider: "registered", key: "known", secret: "never kept" });
    expect(storedWallet()).toBe(JSON.stringify({ provider: "registered", key: "known" }));
    vi.resetModules();
    const [page, connectors, connections] = await Promise.all([
      import("./wallet.ts"),
      import("./connectors.ts"),
      import("../connection.ts"),
    ]);
    connections.connect({ applicationId: "app", storage });
    connectors.registerConnector("registered", async () => Registered);
    expect(await page.reconnectWallet()).toBe(true);
    expect(page.enabledWallet().connector.type).toBe("registered");
  });

  it.each(["", "{", "null", "[]", '{"provider":7}'])("ignores the record %s", async (text) => {
    if (storage.kind === "sync") storage.area.setItem(KEY, text);
    expect(await reconnectWallet()).toBe(false);
  });

  it("is optional: enabling works if the storage is full", async () => {
    const area = {
      getItem: () => null,
      removeItem: () => {},
      setItem: () => {
        throw new Error("full");
      },
    };
    connect({ applicationId: "app", storage: syncStorage(area) });
    await enableWeb3({ provider: "network", urls });
    expect(isWeb3Enabled()).toBe(true);
  });

  it("follows another tab that enables or deactivates a wallet", async () => {
    vi.resetModules();
    const page = new EventTarget();
    vi.stubGlobal("window", page);
    const tab = await import("./wallet.ts");
    const connections = await import("../connection.ts");
    connections.connect({ applicationId: "app", storage });
    expect(await tab.reconnectWallet()).toBe(false);
    const dispatchStorageEvent = async (newValue: string | null) => {
      if (storage.kind !== "sync") return;
      if (newValue === null) storage.area.removeItem(KEY);
      else storage.area.setItem(KEY, newValue);
      page.dispatchEvent(Object.assign(new Event("storage"), { key: KEY, newValue }));
      await vi.waitFor(() => expect(tab.isWeb3Enabled()).toBe(newValue !== null));
    };
    await dispatchStorageEvent(JSON.stringify({ provider: "network", urls }));
    expect(tab.enabledWallet().chainId).toBe("0x539");
    await dispatchStorageEvent(null);
    expect(tab.walletState().status).toBe("deactivated");
    await dispatchStorageEvent(JSON.stringify({ provider: "network", urls }));
    page.dispatchEvent(Object.assign(new Event("storage"), { key: null, newValue: null }));
    expect(tab.isWeb3Enabled()).toBe(false);
  });
});
