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
import { createPublicClient, http, isHex, toHex } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { devAccount } from "../support/browser.ts";
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
function keyOf(index: number): `0x${string}` {
  const { privateKey } = devAccount(index).getHdKey();
  if (!privateKey) throw new Error("the account has no key");
  return toHex(privateKey);
}

/** A wallet in which people switch accounts: `shown` is what it told the page, `now` the one that it is on. */
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

describe("the text that is signed", () => {
  it("is the server's own (EIP-4361) where that is wanted, for the account and chain of the wallet", async () => {
    const user = await authenticate({ connector: Wallet, siwe: true });
    expect(user.get("accounts")).toEqual([address(0)]);
    expect(Wallet.signed).toHaveLength(1);
    const lines = Wallet.signed[0]?.split("\n") ?? [];
    expect(lines).toContain(devAccount(0).address);
    expect(lines).toContain("Sign in with this wallet.");
    expect(lines).toContain("Chain ID: 1337");
  });

  it("names linking where it links", async () => {
    Wallet.current = Wallet.announced = devAccount(1);
    await authenticate({ connector: Wallet });
    Wallet.current = Wallet.announced = devAccount(2);
    const user = await link(address(2), { siwe: true });
    expect(user.get("accounts")).toEqual([address(1), address(2)]);
    expect(Wallet.signed.at(-1)).toContain("Link this wallet to my account.");
  });

  it("may be one of requestMessage that the application hands on", async () => {
    const { message } = await Cloud.run<{ message: string }>("requestMessage", { address: address(3) });
    Wallet.current = Wallet.announced = devAccount(3);
    const user = await authenticate({ connector: Wallet, signingMessage: message });
    expect(user.get("ethAddress")).toBe(address(3));
    expect(Wallet.signed[0]?.startsWith(`${message}\n\nId: ${purse.appId}:`)).toBe(true);
  });

  it("is refused for a chain that the server does not know", async () => {
    Wallet.chainId = "0x270f";
    await expect(authenticate({ connector: Wallet, siwe: true })).rejects.toMatchObject({ code: 142 });
    expect(Wallet.signed).toEqual([]);
  });
});

describe("what the wallet is on is asked again before it signs", () => {
  it("signs in as the account that it was switched to before", async () => {
    Wallet.current = devAccount(4);
    const user = await authenticate({ connector: Wallet });
    expect(user.get("ethAddress")).toBe(address(4));
    expect(walletState()).toMatchObject({ account: address(4) });
  });

  it("does not sign in with a wallet that was locked", { tags: ["8.wallet.no-account"] }, async () => {
    Wallet.current = undefined;
    await expect(authenticate({ connector: Wallet })).rejects.toThrow(
      "Cannot authenticate, no account returned from provider",
    );
    expect(Wallet.signed).toEqual([]);
  });

  it("asks nobody for another account's signature to link with", async () => {
    Wallet.current = Wallet.announced = devAccount(5);
    await authenticate({ connector: Wallet });
    await expect(link(address(6))).rejects.toThrow(
      `The wallet's account is ${address(5)}, not ${address(6)}`,
    );
    expect(Wallet.signed).toHaveLength(1);
  });

  it("signs no text for a chain that the wallet has left meanwhile", async () => {
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

  it("signs nothing for an address that is the user's already", async () => {
    const user = await authenticate({ connector: Wallet });
    const again = await link(address(0));
    expect(again.id).toBe(user.id);
    expect(Wallet.signed).toHaveLength(1);
  });
});

describe("signing in", () => {
  it("has a deadline and a way to cancel, and leaves nobody signed in", async () => {
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
    "refuses the type %s before anything else happens",
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

  it("works with a node and a private key", async () => {
    const options = { provider: "network", urls: { 1337: purse.rpcUrl }, privateKey: keyOf(7) };
    const user = await authenticate(options);
    expect(user.get("accounts")).toEqual([address(7)]);
  });

  it("works with an embedded keystore", async () => {
    const keystore = await encryptKey(keyOf(8), "correct horse", { n: 2 });
    const options = { provider: "keystore", keystore, rpcUrl: purse.rpcUrl };
    await expect(authenticate({ ...options, password: "wrong" })).rejects.toThrow("The password is wrong");
    expect(isWeb3Enabled()).toBe(false);
    const user = await authenticate({ ...options, password: "correct horse" });
    expect(user.get("accounts")).toEqual([address(8)]);
  });

  it("works where nobody is kept as the current user, as in Node by itself", async () => {
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

  it("takes an instance of an application's own connector", async () => {
    const connector = new Wallet();
    await enableWeb3({ connector });
    const user = await authenticate({ connector });
    expect(user.get("accounts")).toEqual([address(0)]);
    expect(walletState()).toMatchObject({ connector });
  });
});
