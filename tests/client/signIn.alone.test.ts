import {
  AbstractWeb3Connector,
  type Activation,
  authenticate,
  Cloud,
  deactivateWeb3,
  type Eip1193Provider,
  enableWeb3,
  encryptKey,
  isWeb3Enabled,
  link,
  start,
  User,
  walletState,
} from "@purse/client";
import { createPublicClient, http, isHex } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { devAccount, devKey } from "../support/devAccount.ts";
import { hostPurse, type Purse } from "../support/purse.ts";

let purse: Purse;

beforeAll(async () => {
  purse = await hostPurse({ devChain: true });
  await start({ serverUrl: purse.serverUrl, appId: purse.appId });
  User.enableUnsafeCurrentUser();
}, 120_000);
afterAll(() => purse?.remove());
beforeEach(() => {
  Wallet.current = Wallet.announced = devAccount(0);
  Wallet.signed = [];
  Wallet.beforeSigning = async () => {};
  Wallet.chainId = "0x539";
});
afterEach(async () => {
  await deactivateWeb3();
  await User.logOut();
});

const address = (index: number) => devAccount(index).address.toLowerCase();

/** A wallet that can switch accounts: `announced` is the account that the page knows, `current` the active one. */
class Wallet extends AbstractWeb3Connector {
  static current: ReturnType<typeof devAccount> | undefined;
  static announced: ReturnType<typeof devAccount>;
  static chainId: string;
  static signed: string[];
  static beforeSigning: () => Promise<void>;
  override type = "people's";

  override async activate(): Promise<Activation> {
    const node = createPublicClient({ transport: http(purse.rpcUrl) });
    const provider: Eip1193Provider = {
      async request({ method, params = [] }) {
        const list = Array.isArray(params) ? params : [];
        if (method === "eth_accounts") return Wallet.current ? [Wallet.current.address] : [];
        if (method === "eth_chainId") return Wallet.chainId;
        if (method !== "personal_sign") return node.transport.request({ method, params: list });
        await Wallet.beforeSigning();
        const raw = isHex(list[0]) ? list[0] : "0x";
        Wallet.signed.push(Buffer.from(raw.slice(2), "hex").toString());
        return Wallet.current?.signMessage({ message: { raw } });
      },
    };
    return this.completeActivation(provider, [Wallet.announced.address], Wallet.chainId);
  }
}

describe("the message to sign", () => {
  it("is the server's EIP-4361 message for the wallet's account and chain with the option siwe", async () => {
    const user = await authenticate({ connector: Wallet, siwe: true });
    expect(user.get("accounts")).toEqual([address(0)]);
    expect(Wallet.signed).toHaveLength(1);
    const lines = Wallet.signed[0]?.split("\n") ?? [];
    expect(lines).toContain(devAccount(0).address);
    expect(lines).toContain("Sign in with this wallet.");
    expect(lines).toContain("Chain ID: 1337");
  });

  it("mentions linking when link() requests it", async () => {
    Wallet.current = Wallet.announced = devAccount(1);
    await authenticate({ connector: Wallet });
    Wallet.current = Wallet.announced = devAccount(2);
    const user = await link(address(2), { siwe: true });
    expect(user.get("accounts")).toEqual([address(1), address(2)]);
    expect(Wallet.signed.at(-1)).toContain("Link this wallet to my account.");
  });

  it("may be a message of requestMessage that the application passes on", async () => {
    const { message } = await Cloud.run<{ message: string }>("requestMessage", { address: address(3) });
    Wallet.current = Wallet.announced = devAccount(3);
    const user = await authenticate({ connector: Wallet, signingMessage: message });
    expect(user.get("ethAddress")).toBe(address(3));
    expect(Wallet.signed[0]?.startsWith(`${message}\n\nId: ${purse.appId}:`)).toBe(true);
  });

  it("is rejected for a chain that the server does not know", async () => {
    Wallet.chainId = "0x270f";
    await expect(authenticate({ connector: Wallet, siwe: true })).rejects.toMatchObject({ code: 142 });
    expect(Wallet.signed).toEqual([]);
  });
});

describe("the account and chain of the wallet, checked right before signing", () => {
  it("signs in with the account that is active now", async () => {
    Wallet.current = devAccount(4);
    const user = await authenticate({ connector: Wallet });
    expect(user.get("ethAddress")).toBe(address(4));
    expect(walletState()).toMatchObject({ account: address(4) });
  });

  it("happens once for two calls at the same time, as by a double click", async () => {
    await authenticate({ connector: Wallet });
    Wallet.signed = [];
    const [first, second] = await Promise.all([
      authenticate({ connector: Wallet }),
      authenticate({ connector: Wallet }),
    ]);
    expect(second).toBe(first);
    expect(Wallet.signed).toHaveLength(1);
    expect(await User.current()?.fetch()).toBe(User.current());
  });

  it("follows the last call when the wallet of the first one does not answer", async () => {
    const prompted = Promise.withResolvers<void>();
    const unanswered = Promise.withResolvers<void>();
    Wallet.beforeSigning = () => {
      prompted.resolve();
      return unanswered.promise;
    };
    const first = authenticate({ connector: Wallet });
    await prompted.promise;
    Wallet.beforeSigning = async () => {};
    const second = await authenticate({ connector: Wallet, siwe: true });
    unanswered.resolve();
    await first;
    expect(await second.fetch()).toBe(second);
  });

  it("rejects a locked wallet", { tags: ["8.wallet.no-account"] }, async () => {
    Wallet.current = undefined;
    await expect(authenticate({ connector: Wallet })).rejects.toThrow(
      "Cannot authenticate, no account returned from provider",
    );
    expect(Wallet.signed).toEqual([]);
  });

  it("reject linking with another account's signature", async () => {
    Wallet.current = Wallet.announced = devAccount(5);
    await authenticate({ connector: Wallet });
    await expect(link(address(6))).rejects.toThrow(
      `The wallet's account is ${address(5)}, not ${address(6)}`,
    );
    expect(Wallet.signed).toHaveLength(1);
  });

  it("reject a message for a chain that the wallet has left", async () => {
    class ChainSwitchingWallet extends Wallet {
      override async activate(): Promise<Activation> {
        const given = await super.activate();
        const requested = { chain: 0 };
        const { provider } = given;
        return {
          ...given,
          provider: {
            async request(call) {
              // The second question comes right before signing.
              if (call.method === "eth_chainId" && ++requested.chain > 2) return "0x89";
              return provider.request(call);
            },
          },
        };
      }
    }
    await expect(authenticate({ connector: ChainSwitchingWallet, siwe: true })).rejects.toThrow(
      "The wallet is on chain 0x89, not on 0x539",
    );
    expect(Wallet.signed).toEqual([]);
  });

  it("request no signature to link an address that the user already has", async () => {
    const user = await authenticate({ connector: Wallet });
    const again = await link(address(0));
    expect(again.id).toBe(user.id);
    expect(Wallet.signed).toHaveLength(1);
  });
});

describe("authenticate()", () => {
  it("supports a timeout and an abort signal, after which nobody is signed in", async () => {
    Wallet.beforeSigning = () => new Promise(() => {});
    await expect(authenticate({ connector: Wallet, timeoutMs: 500 })).rejects.toThrow(
      "did not answer in time",
    );
    const signal = AbortSignal.timeout(500);
    await expect(authenticate({ connector: Wallet, signal })).rejects.toThrow("timeout");
    expect(await User.currentAsync()).toBeNull();
    Wallet.beforeSigning = async () => {};
    expect((await authenticate({ connector: Wallet })).get("ethAddress")).toBe(address(0));
  });

  it.each(["dot", "polkadot", "kusama", "erd", "elrond"])(
    "rejects the type %s before any other step",
    async (type) => {
      const user = await authenticate({ connector: Wallet });
      await expect(authenticate({ connector: Wallet, type })).rejects.toMatchObject({
        code: 252,
        message: `Wallets of type "${type}" are not supported: sign in with a wallet of an EVM chain or of Solana`,
      });
      await expect(link(address(0), { type })).rejects.toMatchObject({ code: 252 });
      expect((await User.currentAsync())?.id).toBe(user.id);
      expect(isWeb3Enabled()).toBe(true);
    },
  );

  it("accepts a node URL with a private key", async () => {
    const options = { provider: "network", urls: { 1337: purse.rpcUrl }, privateKey: devKey(7) };
    const user = await authenticate(options);
    expect(user.get("accounts")).toEqual([address(7)]);
  });

  it("accepts an embedded keystore", async () => {
    const keystore = await encryptKey(devKey(8), "correct horse", { n: 2 });
    const options = { provider: "keystore", keystore, rpcUrl: purse.rpcUrl };
    await expect(authenticate({ ...options, password: "wrong" })).rejects.toThrow("The password is wrong");
    expect(isWeb3Enabled()).toBe(false);
    const user = await authenticate({ ...options, password: "correct horse" });
    expect(user.get("accounts")).toEqual([address(8)]);
  });

  it("works without a stored current user, as in Node.js", async () => {
    User.disableUnsafeCurrentUser();
    try {
      const user = await authenticate({ connector: Wallet });
      expect(user.get("ethAddress")).toBe(address(0));
      expect(user.getSessionToken()).toMatch(/^r:/);
      expect(User.current()).toBeNull();
    } finally {
      User.enableUnsafeCurrentUser();
    }
  });

  it("accepts an instance of a custom connector", async () => {
    const connector = new Wallet();
    await enableWeb3({ connector });
    const user = await authenticate({ connector });
    expect(user.get("accounts")).toEqual([address(0)]);
    expect(walletState()).toMatchObject({ connector });
  });
});
