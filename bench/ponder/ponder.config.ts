import { createConfig } from "ponder";
import { parseAbi } from "viem";

/** The chain and its contracts as the bench has made them. */
const { id, rpc, coins, pieces, items, endBlock } = JSON.parse(process.env.BENCH_CHAIN);

export default createConfig({
  database: { kind: "postgres", connectionString: process.env.DATABASE_URL },
  chains: { busy: { id, rpc, pollingInterval: 1_000, disableCache: false } },
  contracts: {
    Coin: {
      chain: "busy",
      abi: parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]),
      address: coins,
      startBlock: 0,
      endBlock,
    },
    Piece: {
      chain: "busy",
      abi: parseAbi(["event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)"]),
      address: pieces,
      startBlock: 0,
      endBlock,
    },
    Item: {
      chain: "busy",
      abi: parseAbi([
        "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
        "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
      ]),
      address: items,
      startBlock: 0,
      endBlock,
    },
  },
});
