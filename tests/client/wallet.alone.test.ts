import {
  AbstractWeb3Connector,
  type Activation,
  authenticate,
  deactivateWeb3,
  type Eip1193Provider,
  enableWeb3,
  isWeb3Enabled,
  link,
  Moralis,
  ProviderError,
  start,
  transfer,
  User,
  unlink,
  walletEvents,
  walletState,
} from "@purse/client";
import { createPublicClient, createWalletClient, http, isHex } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { devAccount } from "../support/devAccount.ts";
import { hostPurse, type Purse, query, rest } from "../support/purse.ts";

let purse: Purse;

beforeAll(async () => {
  purse = await hostPurse({ devChain: true });
  await start({ serverUrl: purse.serverUrl, appId: purse.appId });
  User.enableUnsafeCurrentUser();
});
afterAll(() => purse?.remove());
beforeEach(async () => {
  Wallet.index = 0;
  Wallet.account = undefined;
  Wallet.isDeclining = false;
  Wallet.signature = undefined;
});
afterEach(async () => {
  await deactivateWeb3();
  await User.logOut();
  walletEvents.removeAll();
});

/** A custom connector with a real key and the local chain, whose events are emitted by the tests. */
class Wallet extends AbstractWeb3Connector {
  static index = 0;
  static account: null | undefined;
  static isDeclining = false;
  static signature: string | undefined;
  static latest: Wallet;
  static calls: string[] = [];
  override type = "test";
  readonly listeners = new Map<string, (value: unknown) => void>();

  override async activate(): Promise<Activation> {
    Wallet.latest = this;
    const account = devAccount(Wallet.index);
    const transport = http(purse.rpcUrl);
    const node = createPublicClient({ transport });
    const signer = createWalletClient({ account, transport });
    const provider: Eip1193Provider = {
      on: (event: string, listener: (...args: never[]) => void) =>
        this.listeners.set(event, (value) => Reflect.apply(listener, undefined, [value])),
      removeListener: (event: string) => this.listeners.delete(event),
      async request({ method, params = [] }) {
        Wallet.calls.push(method);
        if (Wallet.isDeclining) throw new ProviderError(4001, "User rejected the request.");
        const list = Array.isArray(params) ? params : [];
        if (method === "eth_accounts") return [account.address];
        if (method === "personal_sign") {
          return (
            Wallet.signature ?? account.signMessage({ message: { raw: isHex(list[0]) ? list[0] : "0x" } })
          );
        }
        if (method === "eth_sendTransaction") {
          const { to, value, data } = list[0];
          return signer.sendTransaction({ chain: null, to, value: BigInt(value ?? 0), data });
        }
        return node.transport.request({ method, params: list });
      },
    };
    this.provider = provider;
    this.account = Wallet.account === null ? null : account.address.toLowerCase();
    this.chainId = "0x539";
    this.subscribeToEvents(provider);
    return { provider, account: this.account, chainId: this.chainId };
  }
}

const address = (index: number) => devAccount(index).address.toLowerCase();
const signIn = () => authenticate({ connector: Wallet });

describe("authenticate", () => {
  it("connects, signs and logs in, and finds the same user again", {
    tags: [
      "4.flow.authenticate.enables-wallet",
      "4.flow.authenticate.signs-message",
      "4.flow.authenticate.logs-in",
      "4.flow.authenticate.order",
      "3.user.accounts",
      "3.user.accounts-lowercase",
      "3.user.eth-address",
    ],
  }, async () => {
    const user = await signIn();
    expect(user.get("accounts")).toEqual([address(0)]);
    expect(user.get("ethAddress")).toBe(address(0));
    const again = await signIn();
    expect(again.id).toBe(user.id);
  });

  it("ends the session of the previous user", { tags: ["4.flow.authenticate.logs-out"] }, async () => {
    const before = (await signIn()).getSessionToken();
    Wallet.index = 1;
    await signIn();
    const answer = await rest(purse, "GET", "/users/me", undefined, { sessionToken: String(before) });
    expect(answer.body.code).toBe(209);
  });

  it("rejects if the wallet returns no account", { tags: ["8.wallet.no-account"] }, async () => {
    class Empty extends Wallet {
      override async activate(): Promise<Activation> {
        const given = await super.activate();
        const provider = { request: async () => [] };
        return { ...given, provider, account: null };
      }
    }
    await expect(authenticate({ connector: Empty })).rejects.toThrow(
      "Cannot authenticate, no account returned from provider",
    );
  });

  it("rejects if the wallet returns no signature", { tags: ["8.wallet.data-not-signed"] }, async () => {
    Wallet.signature = "";
    await expect(signIn()).rejects.toThrow("Data not signed");
  });

  it("rejects with the wallet's error when the user declines", async () => {
    Wallet.isDeclining = true;
    await expect(signIn()).rejects.toMatchObject({ code: 4001 });
    expect(await User.currentAsync()).toBeNull();
  });

  it("signs a message with the application ID and the server time", {
    tags: ["7.server-time.message-application-id", "7.server-time.message-time", "9.signing-message"],
  }, async () => {
    const user = await signIn();
    const authData: unknown = (await user.fetch()).get("authData");
    expect(JSON.stringify(authData)).toMatch(
      /Moralis Authentication\\n\\nId: test-app:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/,
    );
  });
});

describe("link() and unlink()", () => {
  it("add a second address to a user and remove it", {
    tags: [
      "1.capability.link-address",
      "1.capability.unlink-address",
      "4.flow.link.reuses-user",
      "4.flow.unlink.deletes-record",
      "4.flow.unlink.removes-account",
      "4.flow.unlink.sets-eth-address",
    ],
  }, async () => {
    Wallet.index = 2;
    const user = await signIn();
    await deactivateWeb3();
    Wallet.index = 3;
    await enableWeb3({ connector: Wallet });
    const linked = await link(address(3));
    expect(linked.id).toBe(user.id);
    expect(linked.get("accounts")).toEqual([address(2), address(3)]);
    expect(linked.get("ethAddress")).toBe(address(3));
    await unlink(address(3));
    const now = await user.fetch();
    expect(now.get("accounts")).toEqual([address(2)]);
    expect(now.get("ethAddress")).toBe(address(2));
    const where = { objectId: address(3) };
    const left = await rest(purse, "GET", `/classes/_EthAddress${query({ where })}`, undefined, {
      useMasterKey: true,
    });
    expect(left.body.results).toEqual([]);
  });

  it("reject an address of another user with 208", { tags: ["8.code.208"] }, async () => {
    Wallet.index = 4;
    await signIn();
    await User.logOut();
    Wallet.index = 5;
    await signIn();
    await deactivateWeb3();
    Wallet.index = 4;
    await enableWeb3({ connector: Wallet });
    await expect(link(address(4))).rejects.toMatchObject({ code: 208 });
  });

  it("reject an address that is not linked", { tags: ["8.wallet.address-not-found"] }, async () => {
    await signIn();
    await expect(unlink(`0x${"1".repeat(40)}`)).rejects.toThrow("Address not found");
  });

  it("require a signed-in user", { tags: ["8.wallet.could-not-get-user"] }, async () => {
    await enableWeb3({ connector: Wallet });
    await expect(link(address(0))).rejects.toThrow("Could not get user");
  });

  it("keep the last sign-in method of an account", async () => {
    Wallet.index = 6;
    await signIn();
    await expect(unlink(address(6))).rejects.toMatchObject({ code: 119 });
  });
});

describe("the wallet connection", () => {
  it("changes its state and emits events", {
    tags: [
      "4.wallet.state.not-enabled",
      "4.wallet.state.enabling",
      "4.wallet.state.enabled",
      "4.wallet.state.deactivated",
      "4.wallet.event.web3-enabled",
      "4.wallet.event.web3-deactivated",
    ],
  }, async () => {
    const states: string[] = [];
    const events: string[] = [];
    walletEvents.on("state", ({ status }) => states.push(status));
    walletEvents.on("web3Enabled", ({ account }) => events.push(`enabled ${account}`));
    walletEvents.on("web3Deactivated", () => events.push("deactivated"));
    await enableWeb3({ connector: Wallet });
    await deactivateWeb3();
    expect(states).toEqual(["enabling", "enabled", "deactivated"]);
    expect(events).toEqual([`enabled ${address(0)}`, "deactivated"]);
  });

  it("rejects a second call of enableWeb3() while one is in progress", {
    tags: ["4.wallet.concurrent-enable"],
  }, async () => {
    const first = enableWeb3({ connector: Wallet });
    await expect(enableWeb3({ connector: Wallet })).rejects.toThrow(
      "already has been called, but is not finished yet",
    );
    await first;
  });

  it("rejects a connector that returns no provider, and can be retried", {
    tags: ["8.wallet.no-provider"],
  }, async () => {
    class Broken extends Wallet {
      override async activate(): Promise<Activation> {
        return JSON.parse('{"provider":null,"account":null,"chainId":null}');
      }
    }
    await expect(enableWeb3({ connector: Broken })).rejects.toThrow(
      "Failed to activate, no provider returned",
    );
    await enableWeb3({ connector: Wallet });
    expect(isWeb3Enabled()).toBe(true);
  });

  it("rejects a browser without a wallet", { tags: ["8.wallet.non-ethereum-browser"] }, async () => {
    await expect(enableWeb3()).rejects.toThrow("Non ethereum enabled browser");
  });

  it("aborts a call that the wallet does not answer, on timeout or by signal", async () => {
    class Silent extends Wallet {
      override activate(): Promise<Activation> {
        return new Promise(() => undefined);
      }
    }
    await expect(enableWeb3({ connector: Silent, timeoutMs: 20 })).rejects.toThrow("did not answer in time");
    const controller = new AbortController();
    const waiting = enableWeb3({ connector: Silent, signal: controller.signal });
    controller.abort(new Error("cancelled"));
    await expect(waiting).rejects.toThrow("cancelled");
    expect(walletState().status).toBe("not enabled");
  });

  it("follows the wallet's account and chain", {
    tags: [
      "4.connector.account",
      "4.connector.account-lowercase",
      "4.connector.chain-id",
      "4.connector.updated-on-account-change",
      "4.connector.updated-on-chain-change",
      "4.wallet.event.account-changed",
      "4.wallet.event.chain-changed",
    ],
  }, async () => {
    await enableWeb3({ connector: Wallet });
    const events: unknown[] = [];
    walletEvents.on("accountChanged", (account) => events.push(account));
    walletEvents.on("chainChanged", (chainId) => events.push(chainId));
    const upper = `0x${"AB".repeat(20)}`;
    Wallet.latest.listeners.get("accountsChanged")?.([upper]);
    Wallet.latest.listeners.get("chainChanged")?.("0x89");
    expect(events).toEqual([upper.toLowerCase(), "0x89"]);
    expect(Moralis.account).toBe(upper.toLowerCase());
    expect(Moralis.chainId).toBe("0x89");
    expect(Wallet.latest.account).toBe(upper.toLowerCase());
    expect(Wallet.latest.chainId).toBe("0x89");
  });

  it("emits provider-connect when the provider connects", {
    tags: ["4.wallet.event.provider-connect", "4.connector.updated-on-connect"],
  }, async () => {
    await enableWeb3({ connector: Wallet });
    const events: unknown[] = [];
    walletEvents.on("provider-connect", (info) => events.push(info));
    Wallet.latest.listeners.get("connect")?.({ chainId: "0x1" });
    expect(events).toEqual([{ chainId: "0x1" }]);
    expect(Wallet.latest.chainId).toBe("0x1");
  });

  it("is deactivated when the provider disconnects", {
    tags: [
      "4.wallet.deactivate-on-disconnect",
      "4.wallet.event.provider-disconnect",
      "4.connector.updated-on-disconnect",
    ],
  }, async () => {
    await enableWeb3({ connector: Wallet });
    const events = new Promise((resolve) => walletEvents.on("provider-disconnect", resolve));
    Wallet.latest.listeners.get("disconnect")?.(new Error("gone"));
    expect(await events).toMatchObject({ message: "gone" });
    expect(walletState().status).toBe("deactivated");
  });

  it("remains when MetaMask only switches chains", async () => {
    await enableWeb3({ connector: Wallet });
    Wallet.latest.listeners.get("disconnect")?.(
      new Error("MetaMask: Disconnected from chain. Attempting to connect."),
    );
    await Promise.resolve();
    expect(isWeb3Enabled()).toBe(true);
  });

  it("clears its account and chain on cleanup", {
    tags: [
      "4.wallet.deactivate-on-cleanup",
      "4.connector.deactivation-clears-account",
      "4.connector.deactivation-clears-chain-id",
    ],
  }, async () => {
    await enableWeb3({ connector: Wallet });
    await Moralis.cleanup();
    expect(Wallet.latest.account).toBeNull();
    expect(Wallet.latest.chainId).toBeNull();
    expect(Moralis.account).toBeNull();
  });
});

describe("transfer", () => {
  const balance = (of: string) =>
    createPublicClient({ transport: http(purse.rpcUrl) }).getBalance({ address: devAddress(of) });
  const devAddress = (of: string): `0x${string}` => `0x${of.slice(2)}`;

  it("sends native currency in wei", {
    tags: ["5.transfer.type-native", "3.transfer.native.receiver", "3.transfer.native.amount"],
  }, async () => {
    await enableWeb3({ connector: Wallet });
    const before = await balance(address(9));
    const sent = await transfer({ type: "native", receiver: address(9), amount: "123" });
    expect(await sent.wait()).toMatchObject({ succeeded: true });
    expect((await balance(address(9))) - before).toBe(123n);
  });

  it("sends tokens", {
    tags: [
      "5.transfer.type-erc20",
      "3.transfer.erc20.contract-address",
      "3.transfer.erc20.receiver",
      "3.transfer.erc20.amount",
      "1.capability.transfer-token",
    ],
  }, async () => {
    await enableWeb3({ connector: Wallet });
    const tokens = async () => {
      const response = await fetch(`${purse.url}/api/v2/${address(9)}/erc20?chain=0x539`);
      const rows: { token_address: string; balance: string }[] = await response.json();
      return rows[0];
    };
    const first = await (await fetch(`${purse.url}/api/v2/${address(0)}/erc20?chain=0x539`)).json();
    const contractAddress: string = first[0].token_address;
    const before = BigInt((await tokens())?.balance ?? 0);
    await (await transfer({ type: "erc20", contractAddress, receiver: address(9), amount: "7" })).wait();
    await expect.poll(async () => BigInt((await tokens())?.balance ?? 0) - before).toBe(7n);
  });

  it.each([
    ["another type", { type: "erc999" }, "Unsupported type"],
    [
      "missing fields",
      { type: "erc20", amount: "1" },
      ["receiver is required", "contractAddress is required"],
    ],
    ["an amount of 0", { type: "native", receiver: "0x1", amount: 0 }, ["amount is required"]],
  ])(
    "rejects %s with the old client's message",
    { tags: ["5.transfer.type-unsupported", "5.transfer.field-required"] },
    async (_name, options, thrown) => {
      await expect(Reflect.apply(transfer, undefined, [options])).rejects.toEqual(thrown);
    },
  );

  it("rejects a token ID that is not a uint256", { tags: ["5.transfer.token-id"] }, async () => {
    await enableWeb3({ connector: Wallet });
    const options = { type: "erc721" as const, contractAddress: address(1), receiver: address(2) };
    for (const tokenId of ["-1", "1.5", "x", (2n ** 256n).toString()]) {
      await expect(transfer({ ...options, tokenId })).rejects.toThrow("Invalid token Id");
    }
  });

  it("requires an enabled wallet", { tags: ["8.wallet.missing-web3-instance"] }, async () => {
    await expect(transfer({ receiver: address(1), amount: "1" })).rejects.toThrow("Missing web3 instance");
  });

  it("requires a sender account", {
    tags: ["5.transfer.sender-required", "8.wallet.sender-address-not-found"],
  }, async () => {
    class NoAccount extends Wallet {
      override async activate(): Promise<Activation> {
        return { ...(await super.activate()), provider: { request: async () => [] }, account: null };
      }
    }
    await enableWeb3({ connector: NoAccount });
    await expect(transfer({ receiver: address(1), amount: "1" })).rejects.toThrow("Sender address not found");
  });
});
