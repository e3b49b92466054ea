import { describe, expect, it } from "vitest";
import { assertEventsStorable, type ChainInput, parseChain as parseChainWith } from "./chains.ts";

const parseChain = (input: ChainInput) => parseChainWith(input, 10);

describe("a chain's node", () => {
  it.each([
    { title: "Ethereum", name: "ETH", id: 1 },
    { title: "Ropsten", name: "ROPSTEN", id: 3 },
    { title: "Rinkeby", name: "RINKEBY", id: 4 },
    { title: "Goerli", name: "GOERLI", id: 5 },
    { title: "Kovan", name: "KOVAN", id: 42 },
    { title: "Polygon", name: "POLYGON", id: 137 },
    { title: "Mumbai", name: "MUMBAI", id: 80_001 },
    { title: "BSC", name: "BSC", id: 56 },
    { title: "BSC testnet", name: "BSC_TESTNET", id: 97 },
    { title: "Avalanche", name: "AVALANCHE", id: 43_114 },
    { title: "Avalanche testnet", name: "AVALANCHE_TESTNET", id: 43_113 },
    { title: "Fantom", name: "FANTOM", id: 250 },
  ])(
    "is set by the chain's name alone: $title",
    {
      tags: [
        "9.rpc-chain.1",
        "9.rpc-chain.3",
        "9.rpc-chain.4",
        "9.rpc-chain.5",
        "9.rpc-chain.42",
        "9.rpc-chain.137",
        "9.rpc-chain.80001",
        "9.rpc-chain.56",
        "9.rpc-chain.97",
        "9.rpc-chain.43114",
        "9.rpc-chain.43113",
        "9.rpc-chain.250",
      ],
    },
    ({ name, id }) => {
      expect(parseChain({ name, rpcUrl: "https://node.example,wss://other.example" })).toMatchObject({
        id,
        rpcUrls: ["https://node.example", "wss://other.example"],
      });
    },
  );

  it("can be that of a custom chain if its ID is set", () => {
    const own = {
      name: "MY_CHAIN",
      rpcUrl: "http://localhost:1",
      id: "77",
      startBlock: "5",
      scope: "wallets",
    };
    expect(parseChain(own)).toMatchObject({ name: "my chain", id: 77, startBlock: 5, scope: "wallets" });
    expect(() => parseChain({ name: "MY_CHAIN", rpcUrl: "http://localhost:1" })).toThrow(
      /PURSE_CHAIN_MY_CHAIN_ID/,
    );
  });

  it("can have partitions, only on PostgreSQL without ClickHouse", () => {
    const chain = parseChain({ name: "ETH", rpcUrl: "http://localhost:1", partitionBlocks: "500000" });
    expect(chain.partitionBlocks).toBe(500_000);
    const postgres = { kind: "postgres", url: "postgres://a/b", connections: 4 } as const;
    assertEventsStorable([chain], postgres, undefined);
    expect(() => assertEventsStorable([chain], postgres, "http://a")).toThrow("PURSE_CLICKHOUSE_URL is set");
    expect(() => assertEventsStorable([chain], { kind: "sqlite", path: "a" }, undefined)).toThrow(
      "PURSE_DATABASE_URL",
    );
  });

  it("can remove old events, in SQLite or from partitions, by blocks or days", () => {
    const [rpcUrl, sqlite] = ["http://localhost:1", { kind: "sqlite", path: "a" } as const];
    const postgres = { kind: "postgres", url: "postgres://a/b", connections: 4 } as const;
    const chain = parseChain({ name: "ETH", rpcUrl, keepBlocks: "20000", keepDays: "30" });
    expect([chain.keepBlocks, chain.keepDays]).toEqual([20_000, 30]);
    assertEventsStorable([chain], sqlite, undefined);
    expect(() => assertEventsStorable([chain], sqlite, "http://a")).toThrow("PURSE_CLICKHOUSE_URL is set");
    expect(() => assertEventsStorable([chain], postgres, undefined)).toThrow("requires partitions");
    const partitioned = parseChain({ name: "ETH", rpcUrl, keepDays: "30", partitionBlocks: "5000" });
    assertEventsStorable([partitioned], postgres, undefined);
  });

  it("can be traced", () => {
    const chain = (traces: string) => parseChain({ name: "ETH", rpcUrl: "http://localhost:1", traces });
    expect([chain("1").traces, chain("true").traces, chain("0").traces]).toEqual([true, true, undefined]);
  });

  it("can have a database for its index, with as many connections as the server's", () => {
    const databaseUrl = "postgresql://user:p%40ss@index.example:5432/chains";
    const databaseDirectUrl = "postgres://user@primary.example/chains";
    const chain = { name: "ETH", rpcUrl: "http://localhost:1" };
    expect(parseChain(chain).database).toBeUndefined();
    expect(parseChain({ ...chain, databaseUrl }).database).toEqual({ url: databaseUrl, connections: 10 });
    expect(parseChain({ ...chain, databaseUrl, databaseDirectUrl }).database).toEqual({
      url: databaseUrl,
      directUrl: databaseDirectUrl,
      connections: 10,
    });
  });

  it("does not repeat the URL of a database that is invalid", () => {
    const invalid = {
      name: "ETH",
      rpcUrl: "http://localhost:1",
      databaseUrl: "mysql://user:secret@host/index",
    };
    expect(() => parseChain(invalid)).toThrow(/PURSE_CHAIN_ETH_DATABASE_URL must be postgres:/);
    expect(() => parseChain(invalid)).not.toThrow(/secret/);
  });

  it.each([
    [{ rpcUrl: "ftp://node.example" }, /http:\/\/, https:\/\/, ws:\/\/ or wss:\/\//],
    [{ rpcUrl: "https://node.example", scope: "some" }, /PURSE_CHAIN_ETH_SCOPE must be chain or wallets/],
    [{ rpcUrl: "https://node.example", traces: "yes" }, /PURSE_CHAIN_ETH_TRACES must be 1 or 0/],
    [
      { rpcUrl: "https://node.example", traces: "1", scope: "wallets" },
      /PURSE_CHAIN_ETH_TRACES requires the scope chain/,
    ],
    [{ rpcUrl: "https://node.example", startBlock: "-1" }, /PURSE_CHAIN_ETH_START_BLOCK/],
    [
      { rpcUrl: "https://node.example", databaseUrl: "sqlite:index.sqlite" },
      /PURSE_CHAIN_ETH_DATABASE_URL must be postgres:/,
    ],
    [
      { rpcUrl: "https://node.example", databaseDirectUrl: "postgres://host/index" },
      /PURSE_CHAIN_ETH_DATABASE_DIRECT_URL needs PURSE_CHAIN_ETH_DATABASE_URL/,
    ],
    [{ rpcUrl: "https://node.example", partitionBlocks: "999" }, /PARTITION_BLOCKS is 999: .* at least 1000/],
    [
      { rpcUrl: "https://node.example", partitionBlocks: "100000001" },
      /PARTITION_BLOCKS is 100000001: it must be at least 1000 and at most 100000000/,
    ],
    [
      { rpcUrl: "https://node.example", partitionBlocks: "5000", scope: "wallets" },
      /PURSE_CHAIN_ETH_PARTITION_BLOCKS requires the scope chain/,
    ],
    [
      { rpcUrl: "https://node.example", keepBlocks: "20000", scope: "wallets" },
      /PURSE_CHAIN_ETH_KEEP_BLOCKS requires the scope chain/,
    ],
    [{ rpcUrl: "https://node.example", keepDays: "0" }, /PURSE_CHAIN_ETH_KEEP_DAYS is 0: .* at least 1 /],
    [{ rpcUrl: "https://node.example", keepDays: "1.5" }, /KEEP_DAYS is "1.5": it must be a whole number/],
    [
      { rpcUrl: "https://node.example", partitionBlocks: "5000", keepBlocks: "9999" },
      /KEEP_BLOCKS is 9999: .* at least 10000/,
    ],
  ])("is rejected if it is invalid: %o", (texts, message) => {
    expect(() => parseChain({ name: "ETH", ...texts })).toThrow(message);
  });
});
