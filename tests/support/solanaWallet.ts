import { generateKeyPairSync, sign } from "node:crypto";
import { base58btc } from "multiformats/bases/base58";
import type { Page } from "playwright-core";

/** Controls a Solana wallet in a page. */
export interface TestSolanaWallet {
  /** In base58. */
  address: string;
  /** The texts that it has signed. */
  readonly signed: string[];
}

/** Installs a Solana wallet of the Wallet Standard into a page, with a new key, which signs every text. */
export async function installSolanaWallet(page: Page, name = "Sunny"): Promise<TestSolanaWallet> {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const address = base58btc.baseEncode(publicKey.export({ format: "der", type: "spki" }).subarray(-32));
  const signed: string[] = [];
  await page.exposeFunction("signWithSolana", (text: string) => {
    signed.push(text);
    return [...sign(null, Buffer.from(text), privateKey)];
  });
  await page.addInitScript(
    ([walletName, accountAddress]) => {
      const account = { address: accountAddress };
      const wallet = {
        name: walletName,
        icon: "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E",
        features: {
          "standard:connect": { connect: async () => ({ accounts: [account] }) },
          "solana:signMessage": {
            async signMessage({ message }: { message: Uint8Array }) {
              const signText: unknown = Reflect.get(window, "signWithSolana");
              if (typeof signText !== "function") throw new Error("no wallet");
              const bytes: number[] = await signText(new TextDecoder().decode(message));
              return [{ signature: new Uint8Array(bytes) }];
            },
          },
        },
      };
      window.addEventListener("wallet-standard:app-ready", (event) => {
        if (event instanceof CustomEvent) event.detail.register(wallet);
      });
    },
    [name, address] as const,
  );
  return { address, signed };
}
