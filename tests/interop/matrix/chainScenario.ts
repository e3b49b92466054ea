import { mnemonicToAccount } from "viem/accounts";
import { signingProvider } from "../../support/signingProvider.ts";
import type { Operation, Scenario } from "./operation.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const account = mnemonicToAccount(MNEMONIC, { addressIndex: 1 });
const address = account.address.toLowerCase();
const chain = "0x539";

/** Operations of moralis beyond parse: chain data and wallet sign-in. */
export function chainScenario({ Parse: Moralis }: Scenario, rpcUrl: string): Operation[] {
  const api = Moralis.Web3API;
  const token = async () => (await api.account.getTokenBalances({ address, chain }))[0].token_address;
  const block = "1";
  // Older versions call the data API anonymously, without permission to upload.
  const sendsSession = !/^(js)?(0|1\.[0-6])\./.test(String(Moralis.CoreManager.get("VERSION")));
  const has = (group: string, name: string, run: Operation[1]) =>
    [`Web3API.${group}.${name}`, api?.[group]?.[name] && run] as const;
  return [
    ["sign in with a wallet", Moralis.AbstractWeb3Connector && (() => signInWithWallet(Moralis, rpcUrl))],
    [
      "fetch the wallet's user and keep the session",
      Moralis.AbstractWeb3Connector &&
        (async () => {
          const user = Moralis.User.current();
          await user.fetch();
          await user.save({ seen: 1 });
          return [user.get("ethAddress"), address];
        }),
    ],
    has("account", "getNativeBalance", async () => [
      /^\d+$/.test((await api.account.getNativeBalance({ address, chain })).balance),
      true,
    ]),
    has("account", "getTokenBalances", async () => [
      (await api.account.getTokenBalances({ address, chain })).length > 0,
      true,
    ]),
    has("account", "getTransactions", async () => [
      (await api.account.getTransactions({ address, chain })).total > 0,
      true,
    ]),
    has("account", "getTokenTransfers", async () => [
      (await api.account.getTokenTransfers({ address, chain })).total > 0,
      true,
    ]),
    has("account", "getNFTs", async () => {
      const { result } = await api.account.getNFTs({ address, chain });
      return [
        result.length > 0 &&
          result.every(
            (nft: { metadata: unknown }) => typeof nft.metadata !== "object" || nft.metadata === null,
          ),
        true,
      ];
    }),
    has("account", "getNFTTransfers", async () => [
      typeof (await api.account.getNFTTransfers({ address, chain })).total,
      "number",
    ]),
    has("token", "getTokenMetadata", async () => [
      (await api.token.getTokenMetadata({ addresses: await token(), chain })).length,
      1,
    ]),
    has("token", "getTokenAllowance", async () => [
      (
        await api.token.getTokenAllowance({
          address: await token(),
          owner_address: address,
          spender_address: address,
          chain,
        })
      ).allowance,
      "0",
    ]),
    has("native", "getBlock", async () => [
      (await api.native.getBlock({ block_number_or_hash: block, chain })).number,
      block,
    ]),
    has("native", "runContractFunction", async () => {
      const abi = [
        {
          type: "function",
          name: "balanceOf",
          stateMutability: "view",
          inputs: [{ name: "account", type: "address" }],
          outputs: [{ name: "", type: "uint256" }],
        },
      ];
      const call = {
        address: await token(),
        function_name: "balanceOf",
        abi,
        params: { account: address },
        chain,
      };
      return [/^\d+$/.test(await api.native.runContractFunction(call)), true];
    }),
    has(
      "storage",
      "uploadFolder",
      sendsSession &&
        (async () => {
          const files = [{ path: "a.json", content: Buffer.from("{}").toString("base64") }];
          return [(await api.storage.uploadFolder({ abi: files })).length, 1];
        }),
    ),
    ["units", Moralis.Units && (async () => [String(Moralis.Units.FromWei("1500000000000000000")), "1.5"])],
  ];
}

async function signInWithWallet(Moralis: Scenario["Parse"], rpcUrl: string): Promise<[unknown, unknown]> {
  const provider = signingProvider(account, rpcUrl);
  class Connector extends Moralis.AbstractWeb3Connector {
    type = "matrix";
    async activate() {
      Object.assign(this, { account: address, chainId: chain, provider });
      return { provider, account: address, chainId: chain };
    }
    async deactivate() {}
  }
  const user = await Moralis.authenticate({ connector: Connector });
  return [user.get("ethAddress"), address];
}
