import { devContracts } from "@purse/devchain";
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  erc721Abi,
  http,
  parseAbi,
  parseAbiItem,
  toEventSelector,
  zeroAddress,
} from "viem";
import { foundry } from "viem/chains";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { devAccount } from "../support/devAccount.ts";
import { freshRequire } from "../support/freshRequire.ts";
import { hostPurse, type Purse } from "../support/purse.ts";

/** All data API calls of the unmodified client, each compared with the answer of the node. */

const GROUPS = ["native", "account", "token", "resolve", "defi", "storage", "info"];

interface Row {
  [key: string]: string;
}

const { token, dollar, point, legacy, collection, items, gallery, market } = devContracts();
const moved20 = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)");
const moved721 = parseAbiItem(
  "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
);
const moved1155 = parseAbiItem(
  "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
);
const items1155 = parseAbi(["function balanceOf(address owner, uint256 id) view returns (uint256)"]);
const pairs = parseAbi([
  "function getPair(address a, address b) view returns (address)",
  "function getReserves() view returns (uint112, uint112, uint32)",
]);

describe.each(DATABASES)("the data API for moralis@1.7.0, unmodified, on %s", (database) => {
  const Moralis = freshRequire("moralis/node", import.meta.url);
  const called = new Set<string>();
  let purse: Purse;

  /** A group of the client's calls, which records the calls made. */
  function group(name: string) {
    const calls: Record<string, (options?: object) => Promise<unknown>> = Moralis.Web3API[name];
    return new Proxy(Object(calls), {
      get(target, key) {
        called.add(`${name}.${String(key)}`);
        return target[key];
      },
    });
  }
  const native = group("native");
  const account = group("account");
  const tokens = group("token");
  const resolve = group("resolve");
  const defi = group("defi");

  beforeAll(async () => {
    purse = await hostPurse({ devChain: true, env: await databaseEnv(database) });
    await Moralis.start({ serverUrl: purse.serverUrl, appId: purse.appId });
    Moralis.User.enableUnsafeCurrentUser();
    await new Moralis.User().save({ username: "asker", password: "secret-1" });
    await Moralis.User.logIn("asker", "secret-1");
  });
  afterAll(() => purse?.remove());

  const chain = "0x539";
  const node = () => createPublicClient({ transport: http(purse.rpcUrl) });
  const owner = devAccount(1).address;
  const address = lower(owner);
  const all = { fromBlock: 0n } as const;
  const read20 = (contract: Address, functionName: "name" | "symbol" | "decimals") =>
    node().readContract({ address: contract, abi: erc20Abi, functionName });
  const ownerOf = async (contract: Address, id: string) =>
    lower(
      await node().readContract({
        address: contract,
        abi: erc721Abi,
        functionName: "ownerOf",
        args: [BigInt(id)],
      }),
    );
  /** Keys that identify transfers in the client's results and in the node's logs. */
  const rowKeys = (rows: Row[]) => rows.map((row) => `${row.transaction_hash} ${row.log_index}`).sort();
  const logKeys = (logs: { transactionHash: string | null; logIndex: number | null }[]) =>
    logs.map(({ transactionHash, logIndex }) => `${transactionHash} ${logIndex}`).sort();

  /** Keys of ERC-20 transfers, whose rows have no log index. */
  const transfersOfRows = (rows: Row[]) =>
    rows.map((row) => [row.transaction_hash, row.from_address, row.to_address, row.value].join(" ")).sort();
  const transfersOfLogs = (
    logs: { transactionHash: string | null; args: { from: Address; to: Address; value: bigint } }[],
  ) =>
    logs
      .map(({ transactionHash, args: { from, to, value } }) =>
        [transactionHash, lower(from), lower(to), value].join(" "),
      )
      .sort();

  /** Of collections of ERC-721, whose logs have an index more than those of ERC-20. */
  const pieceLogs = async (
    contract: Address,
    args: { from?: Address; to?: Address; tokenId?: bigint } = {},
  ) => node().getLogs({ address: contract, event: moved721, strict: true, args, ...all });

  it("returns blocks and transactions", async () => {
    const block = await node().getBlock({ blockNumber: 12n, includeTransactions: true });
    const seen = await native.getBlock({ block_number_or_hash: "12", chain });
    expect(seen).toMatchObject({
      number: "12",
      hash: block.hash,
      parent_hash: block.parentHash,
      gas_used: String(block.gasUsed),
      transaction_count: String(block.transactions.length),
      timestamp: new Date(Number(block.timestamp) * 1000).toISOString(),
    });
    expect(seen.transactions.map(({ hash }: Row) => hash)).toEqual(
      block.transactions.map(({ hash }) => hash),
    );

    const [first] = block.transactions;
    if (!first) throw new Error("block 12 is empty");
    const receipt = await node().getTransactionReceipt({ hash: first.hash });
    expect(await native.getTransaction({ transaction_hash: first.hash, chain })).toMatchObject({
      hash: first.hash,
      nonce: String(first.nonce),
      from_address: lower(first.from),
      to_address: first.to && lower(first.to),
      value: String(first.value),
      input: first.input,
      receipt_gas_used: String(receipt.gasUsed),
      receipt_status: receipt.status === "success" ? "1" : "0",
      block_number: "12",
    });

    const date = new Date(Number(block.timestamp) * 1000).toISOString();
    expect(await native.getDateToBlock({ date, chain })).toMatchObject({
      block: 12,
      timestamp: Number(block.timestamp),
    });
  });

  it("returns logs, events and results of contract calls", async () => {
    const logs = await node().getLogs({ address: token.address, ...all });
    const seen = await native.getLogsByAddress({ address: token.address, chain, limit: 500 });
    expect(seen.total).toBe(logs.length);
    const seenLogs = seen.result.map((row: Row) => [row.transaction_hash, row.topic0, row.topic1, row.data]);
    expect(seenLogs.map(String).sort()).toEqual(
      logs
        .map(({ transactionHash, topics, data }) => [transactionHash, topics[0], topics[1], data])
        .map(String)
        .sort(),
    );

    const events = await native.getContractEvents({
      address: token.address,
      chain,
      topic: toEventSelector(moved20),
      abi: moved20,
      limit: 500,
    });
    const transfers = await node().getLogs({ address: token.address, event: moved20, strict: true, ...all });
    const valuesIn = (hash: string) =>
      transfers.filter((each) => each.transactionHash === hash).map(({ args }) => String(args.value));
    const list: { transaction_hash: string; data: Row }[] = Array.isArray(events) ? events : events.result;
    expect(list.length).toBe(Math.min(500, transfers.length));
    for (const { transaction_hash, data } of list) expect(valuesIn(transaction_hash)).toContain(data.value);

    const held = await native.runContractFunction({
      address: token.address,
      function_name: "balanceOf",
      abi: erc20Abi,
      params: { account: address },
      chain,
    });
    expect(held).toBe(String(await balance(token.address)));
  });

  const balance = (contract: Address) =>
    node().readContract({ address: contract, abi: erc20Abi, functionName: "balanceOf", args: [owner] });

  it("returns balances and transactions of an account", async () => {
    expect(await account.getNativeBalance({ address, chain })).toEqual({
      balance: String(await node().getBalance({ address: owner })),
    });

    const head = Number(await node().getBlockNumber());
    const blocks = await Promise.all(
      Array.from({ length: head + 1 }, (_, n) =>
        node().getBlock({ blockNumber: BigInt(n), includeTransactions: true }),
      ),
    );
    const own = blocks
      .flatMap(({ transactions }) => transactions)
      .filter(({ from, to }) => [lower(from), to && lower(to)].includes(address));
    const sent = await account.getTransactions({ address, chain });
    expect(sent.result.map(({ hash }: Row) => hash).sort()).toEqual(own.map(({ hash }) => hash).sort());

    const balances: Row[] = await account.getTokenBalances({ address, chain });
    const known = [token, dollar, point, legacy, { ...market.weth }];
    for (const { address: contract } of known) {
      const row = balances.find(({ token_address }) => token_address === contract);
      expect(BigInt(row?.balance ?? 0)).toBe(await balance(contract));
    }

    const transfers = await account.getTokenTransfers({ address, chain, limit: 500 });
    const of = (args: { from?: Address; to?: Address }) =>
      node().getLogs({ address: token.address, event: moved20, strict: true, args, ...all });
    const logs = [...(await of({ from: owner })), ...(await of({ to: owner }))];
    const ofToken = transfers.result.filter((row: Row) => row.address === token.address);
    expect(transfersOfRows(ofToken)).toEqual([...new Set(transfersOfLogs(logs))]);
  });

  it("returns NFTs of an account", async () => {
    const nfts = await account.getNFTs({ address, chain });
    expect(nfts.total).toBe(nfts.result.length);
    for (const { token_address, token_id, contract_type, amount } of nfts.result) {
      if (contract_type === "ERC721") expect(await ownerOf(token_address, token_id)).toBe(address);
      else {
        const args = [owner, BigInt(token_id)] as const;
        const held = await node().readContract({
          address: token_address,
          abi: items1155,
          functionName: "balanceOf",
          args,
        });
        expect(amount).toBe(String(held));
      }
    }
    const ofContract = await account.getNFTsForContract({
      address,
      token_address: collection.address,
      chain,
    });
    expect(ofContract.total).toBe(Number(await balance(collection.address)));

    const transfers = await account.getNFTTransfers({ address, chain, direction: "both", limit: 500 });
    const logs = [
      ...(await pieceLogs(collection.address, { from: owner })),
      ...(await pieceLogs(collection.address, { to: owner })),
    ];
    const ofCollection = transfers.result.filter((row: Row) => row.token_address === collection.address);
    expect(rowKeys(ofCollection)).toEqual([...new Set(logKeys(logs))]);
  });

  it("returns metadata, balances and transfers of ERC-20 tokens", async () => {
    const addresses = [token, dollar, point].map((each) => each.address);
    const [facts, bySymbol] = [
      await tokens.getTokenMetadata({ addresses, chain }),
      await tokens.getTokenMetadataBySymbol({ symbols: [token.symbol, dollar.symbol], chain }),
    ];
    for (const contract of addresses) {
      expect(facts.find((each: Row) => each.address === contract)).toMatchObject({
        name: await read20(contract, "name"),
        symbol: await read20(contract, "symbol"),
        decimals: String(await read20(contract, "decimals")),
      });
    }
    expect(bySymbol.map((each: Row) => each.address)).toEqual(
      expect.arrayContaining([token.address, dollar.address]),
    );

    const transfers = await tokens.getTokenAddressTransfers({ address: dollar.address, chain, limit: 500 });
    const logs = await node().getLogs({ address: dollar.address, event: moved20, strict: true, ...all });
    expect(transfersOfRows(transfers.result)).toEqual(transfersOfLogs(logs));

    const [allowed] = await node().getLogs({
      address: token.address,
      event: parseAbiItem("event Approval(address indexed owner, address indexed spender, uint256 value)"),
      strict: true,
      ...all,
    });
    if (!allowed) throw new Error("nobody has allowed anything");
    const { owner: giver, spender } = allowed.args;
    const sides = { owner_address: lower(giver), spender_address: lower(spender) };
    expect(await tokens.getTokenAllowance({ address: token.address, ...sides, chain })).toEqual({
      allowance: String(
        await node().readContract({
          address: token.address,
          abi: erc20Abi,
          functionName: "allowance",
          args: [giver, spender],
        }),
      ),
    });
  });

  it("returns prices and pairs", async () => {
    const pair = lower(
      await node().readContract({
        address: market.v2.factory.address,
        abi: pairs,
        functionName: "getPair",
        args: [token.address, market.weth.address],
      }),
    );
    const sides = { token0_address: token.address, token1_address: market.weth.address };
    expect(await defi.getPairAddress({ ...sides, exchange: "uniswapv2", chain })).toMatchObject({
      pairAddress: pair,
    });
    const [reserve0, reserve1] = await node().readContract({
      address: pair,
      abi: pairs,
      functionName: "getReserves",
    });
    const reserves = await defi.getPairReserves({ pair_address: pair, chain });
    expect(reserves).toMatchObject({ reserve0: String(reserve0), reserve1: String(reserve1) });

    const price = await tokens.getTokenPrice({ address: token.address, chain, exchange: "uniswapv2" });
    const [own, coins] = token.address < market.weth.address ? [reserve0, reserve1] : [reserve1, reserve0];
    const wanted = Number(coins) / Number(own);
    expect(Number(price.nativePrice.value) / 1e18).toBeCloseTo(wanted, 12);
  });

  it("returns collections and their tokens", async () => {
    const of = { address: collection.address, chain };
    const logs = await pieceLogs(collection.address);
    const ids = [...new Set(logs.map(({ args }) => String(args.tokenId)))].sort();
    const listed = await tokens.getAllTokenIds({ ...of, limit: 500 });
    expect(listed.result.map(({ token_id }: Row) => token_id).sort()).toEqual(ids);
    expect(await tokens.getNFTMetadata(of)).toMatchObject({
      token_address: collection.address,
      name: await read20(collection.address, "name"),
      symbol: await read20(collection.address, "symbol"),
      contract_type: "ERC721",
    });

    const owners = await tokens.getNFTOwners({ ...of, limit: 500 });
    expect(owners.total).toBe(ids.length);
    for (const { token_id, owner_of } of owners.result)
      expect(owner_of).toBe(await ownerOf(collection.address, token_id));
    const [{ token_id }] = owners.result;
    const ownersOfOne = await tokens.getTokenIdOwners({ ...of, token_id });
    expect(ownersOfOne.result.map(({ owner_of }: Row) => owner_of)).toEqual([
      await ownerOf(collection.address, token_id),
    ]);
    expect(await tokens.getTokenIdMetadata({ ...of, token_id })).toMatchObject({
      token_id,
      token_uri:
        (await node().readContract({
          address: collection.address,
          abi: erc721Abi,
          functionName: "tokenURI",
          args: [BigInt(token_id)],
        })) || null,
    });
  });

  it("returns NFT transfers", async () => {
    const of = { address: collection.address, chain };
    const logs = await pieceLogs(collection.address);
    const transfers = await tokens.getContractNFTTransfers({ ...of, limit: 500 });
    expect(rowKeys(transfers.result)).toEqual(logKeys(logs));
    const [log] = logs;
    const id = log?.args.tokenId ?? 0n;
    const ofOne = await tokens.getWalletTokenIdTransfers({ ...of, token_id: String(id) });
    expect(rowKeys(ofOne.result)).toEqual(logKeys(await pieceLogs(collection.address, { tokenId: id })));

    const number = log?.blockNumber ?? 0n;
    const inBlock = logKeys(logs.filter((each) => each.blockNumber === number));
    const ofCollection = (rows: Row[]) => rows.filter((row) => row.token_address === collection.address);
    const byBlock = await native.getNFTTransfersByBlock({ block_number_or_hash: String(number), chain });
    expect(rowKeys(ofCollection(byBlock.result))).toEqual(inBlock);
    const range = { from_block: Number(number), to_block: Number(number) };
    const byRange = await tokens.getNftTransfersFromToBlock({ ...range, chain });
    expect(rowKeys(ofCollection(byRange.result))).toEqual(inBlock);

    const singles = await node().getLogs({ address: items.address, event: moved1155, strict: true, ...all });
    const ofItems = await tokens.getContractNFTTransfers({ address: items.address, chain, limit: 500 });
    expect(rowKeys(ofItems.result.filter((row: Row) => row.transaction_type === "Single"))).toEqual(
      logKeys(singles),
    );
  });

  it("returns NFT trades with their prices", async () => {
    const of = { address: market.cards.address, chain };
    const trades = await tokens.getNFTTrades({ ...of, marketplace: "opensea" });
    // As the local chain's history has them: one for a coin, two together for 1.4, one by a bid in wrapped coins.
    const reportedTrades = trades.result.map(({ price, token_ids, price_token_address }: Row) => [
      Number(price) / 1e18,
      [token_ids].flat().sort(),
      price_token_address === market.weth.address ? "WETH" : price_token_address,
    ]);
    expect(reportedTrades).toHaveLength(3);
    expect(reportedTrades).toEqual(
      expect.arrayContaining([
        [1, ["1"], null],
        [1.4, ["2", "3"], null],
        [0.6, ["4"], "WETH"],
      ]),
    );
    for (const { transaction_hash, block_number } of trades.result) {
      const receipt = await node().getTransactionReceipt({ hash: transaction_hash });
      expect([String(receipt.blockNumber), lower(receipt.to ?? zeroAddress)]).toEqual([
        block_number,
        market.marketplace.address,
      ]);
    }
    const lowest = await tokens.getNFTLowestPrice({ ...of, marketplace: "opensea", days: 3650 });
    expect(lowest.price).toBe(String(10n ** 18n));
  });

  it("returns NFT metadata and refreshes it", async () => {
    const metadata = { name: "Interop", description: "quite unmistakable", attributes: [{ value: "zebra" }] };
    const wallet = createWalletClient({
      account: devAccount(0),
      transport: http(purse.rpcUrl),
      chain: { ...foundry, id: 1337 },
    });
    const uri = `data:application/json,${encodeURIComponent(JSON.stringify(metadata))}`;
    await wallet.sendTransaction({
      to: gallery.address,
      data: encodeFunctionData({ abi: gallery.abi, functionName: "mint", args: [owner, 4_242n, uri] }),
    });
    const found = async () => (await tokens.searchNFTs({ q: "unmistakable zebra", chain })).result;
    await expect.poll(async () => (await found()).length, { timeout: 10_000 }).toBe(1);
    const [{ token_address, token_id, metadata: text }] = await found();
    expect([token_address, token_id, JSON.parse(text)]).toEqual([gallery.address, "4242", metadata]);

    const of = { address: gallery.address, chain };
    expect(await tokens.reSyncMetadata({ ...of, token_id: "4242", mode: "sync" })).toEqual({
      status: "completed",
    });
    expect(await tokens.syncNFTContract(of)).toEqual({});
  });

  it("resolves domains and addresses", async () => {
    expect(await resolve.resolveDomain({ domain: "bob.eth" })).toEqual({
      address: lower(devAccount(2).address),
    });
    expect(await resolve.resolveAddress({ address })).toEqual({ name: "alice.eth" });
  });

  it("uploads folders and returns its version and endpoint weights", async () => {
    const abi = [{ path: "one.json", content: { one: 1 } }];
    const [{ path }] = await group("storage").uploadFolder({ abi });
    expect(await (await fetch(path)).json()).toEqual({ one: 1 });
    expect(await group("info").web3ApiVersion()).toEqual({ version: expect.stringMatching(/^\d/) });
    const weights: Row[] = await group("info").endpointWeights();
    expect(weights.map(({ endpoint }) => endpoint)).toEqual(
      expect.arrayContaining(callsOf().map(([, name]) => name)),
    );
  });

  it("is tested with all 39 calls", () => {
    expect(callsOf()).toHaveLength(39);
    expect(callsOf().filter(([name, call]) => !called.has(`${name}.${call}`))).toEqual([]);
  });

  it.each([
    ["account", "balance"],
    ["account", "getSPL"],
    ["account", "getNFTs"],
    ["account", "getPortfolio"],
    ["nft", "getNFTMetadata"],
  ])("rejects Solana calls (%s.%s)", async (name, call) => {
    const params = { network: "mainnet", address: "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM" };
    await expect(Moralis.SolanaAPI[name][call](params)).rejects.toThrow("supports EVM chains only");
  });

  function callsOf(): [string, string][] {
    return GROUPS.flatMap((name) =>
      Object.entries(Object(Moralis.Web3API[name])).flatMap(([call, run]): [string, string][] =>
        typeof run === "function" ? [[name, call]] : [],
      ),
    );
  }
});

function lower(address: Address): Address {
  return `0x${address.slice(2).toLowerCase()}`;
}
