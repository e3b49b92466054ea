// Written by scripts/web3api.ts from the data service's table of endpoints: change that, not this.
import type { JsonObject } from "@purse/protocol";
import type { Call, OneOf, OperationTable } from "./operation.ts";
import type {
  Block,
  BlockDate,
  BlockTransaction,
  ContractEvent,
  ContractLog,
  EndpointWeight,
  Erc20Allowance,
  Erc20Balance,
  Erc20Metadata,
  Erc20Price,
  Erc20Transfer,
  IpfsFile,
  MetadataResync,
  NativeBalance,
  Nft,
  NftCollection,
  NftContractMetadata,
  NftMetadata,
  NftOwnerCollection,
  NftTransferCollection,
  Page,
  Pair,
  ReservesCollection,
  ResolvedAddress,
  ResolvedDomain,
  Trade,
  Transaction,
  Web3Version,
} from "./results.ts";

/** The calls of each group, by the parameters that they take and what they answer. */
export interface Operations {
  readonly native: {
    /** Returns the block nearest to a date. */
    readonly getDateToBlock: Call<
      { chain?: string | number; date: Date | string | number; providerUrl?: string },
      BlockDate
    >;
    /** Returns a block with its transactions and their logs. */
    readonly getBlock: Call<
      { block_number_or_hash: string | number; chain?: string | number; subdomain?: string },
      Block
    >;
    /** Returns the NFT transfers of a block. */
    readonly getNFTTransfersByBlock: Call<
      {
        block_number_or_hash: string | number;
        chain?: string | number;
        offset?: number;
        limit?: number;
        cursor?: string;
        subdomain?: string;
      },
      NftTransferCollection
    >;
    /** A transaction with its receipt and its logs. */
    readonly getTransaction: Call<
      { transaction_hash: string; chain?: string | number; subdomain?: string },
      BlockTransaction
    >;
    /** Returns the logs of a contract, latest first. */
    readonly getLogsByAddress: Call<
      {
        address?: string;
        chain?: string | number;
        block_number?: number | string;
        from_block?: number | string;
        to_block?: number | string;
        from_date?: Date | string | number;
        to_date?: Date | string | number;
        topic0?: string;
        topic1?: string;
        topic2?: string;
        topic3?: string;
        limit?: number;
        cursor?: string;
        subdomain?: string;
      },
      Page<ContractLog>
    >;
    /** Returns decoded events of a contract, latest first. */
    readonly getContractEvents: Call<
      {
        address?: string;
        chain?: string | number;
        from_block?: number | string;
        to_block?: number | string;
        from_date?: Date | string | number;
        to_date?: Date | string | number;
        topic: string;
        offset?: number;
        limit?: number;
        subdomain?: string;
        providerUrl?: string;
      } & OneOf<"data" | "abi", object>,
      ContractEvent[]
    >;
    /** Calls a view or pure function of a contract. */
    readonly runContractFunction: Call<
      {
        address?: string;
        chain?: string | number;
        function_name: string;
        abi: object;
        params?: object;
        subdomain?: string;
        providerUrl?: string;
      },
      string
    >;
  };
  readonly account: {
    /** Returns NFT transfers from and to a wallet, latest first. */
    readonly getNFTTransfers: Call<
      {
        address?: string;
        chain?: string | number;
        format?: "decimal" | "hex";
        direction?: "both" | "to" | "from";
        limit?: number;
        cursor?: string;
      },
      NftTransferCollection
    >;
    /** Returns the NFTs of one collection that a wallet owns. */
    readonly getNFTsForContract: Call<
      {
        address?: string;
        token_address: string;
        chain?: string | number;
        format?: "decimal" | "hex";
        cursor?: string;
        limit?: number;
      },
      NftOwnerCollection
    >;
    /** Returns ERC-20 transfers from and to a wallet, latest first. */
    readonly getTokenTransfers: Call<
      {
        address?: string;
        chain?: string | number;
        from_block?: number | string;
        to_block?: number | string;
        from_date?: Date | string | number;
        to_date?: Date | string | number;
        offset?: number;
        limit?: number;
        cursor?: string;
        subdomain?: string;
      },
      Page<Erc20Transfer>
    >;
    /** Returns the native balance of a wallet. */
    readonly getNativeBalance: Call<
      { address?: string; chain?: string | number; to_block?: number | string; providerUrl?: string },
      NativeBalance
    >;
    /** Returns the ERC-20 balances of a wallet. */
    readonly getTokenBalances: Call<
      {
        address?: string;
        chain?: string | number;
        to_block?: number | string;
        token_addresses?: string | readonly string[];
        subdomain?: string;
      },
      Erc20Balance[]
    >;
    /** Returns the NFTs that a wallet owns. */
    readonly getNFTs: Call<
      {
        address?: string;
        chain?: string | number;
        format?: "decimal" | "hex";
        limit?: number;
        token_addresses?: string | readonly string[];
        cursor?: string;
      },
      NftOwnerCollection
    >;
    /** Returns the transactions from and to a wallet. */
    readonly getTransactions: Call<
      {
        address?: string;
        chain?: string | number;
        from_block?: number | string;
        to_block?: number | string;
        from_date?: Date | string | number;
        to_date?: Date | string | number;
        offset?: number;
        cursor?: string;
        limit?: number;
        order?: "desc" | "asc";
        subdomain?: string;
      },
      Page<Transaction>
    >;
  };
  readonly token: {
    /** Returns name, symbol and decimals of tokens. */
    readonly getTokenMetadata: Call<
      {
        chain?: string | number;
        addresses: string | readonly string[];
        subdomain?: string;
        providerUrl?: string;
      },
      Erc20Metadata[]
    >;
    /** Returns the tokens with a symbol; several tokens can have the same one. */
    readonly getTokenMetadataBySymbol: Call<
      { chain?: string | number; symbols: string | readonly string[]; subdomain?: string },
      Erc20Metadata[]
    >;
    /** Returns the price of a token on decentralized exchanges. */
    readonly getTokenPrice: Call<
      {
        address?: string;
        chain?: string | number;
        exchange?: string;
        to_block?: number | string;
        providerUrl?: string;
      },
      Erc20Price
    >;
    /** Returns the transfers of a token, latest first. */
    readonly getTokenAddressTransfers: Call<
      {
        address?: string;
        chain?: string | number;
        from_block?: number | string;
        to_block?: number | string;
        from_date?: Date | string | number;
        to_date?: Date | string | number;
        offset?: number;
        limit?: number;
        cursor?: string;
        subdomain?: string;
      },
      Page<Erc20Transfer>
    >;
    /** Returns the allowance of a spender. */
    readonly getTokenAllowance: Call<
      {
        address?: string;
        chain?: string | number;
        owner_address: string;
        spender_address: string;
        providerUrl?: string;
      },
      Erc20Allowance
    >;
    /** Searches NFTs by metadata. */
    readonly searchNFTs: Call<
      {
        chain?: string | number;
        format?: "decimal" | "hex";
        q: string;
        filter?: string | readonly ("name" | "description" | "attributes" | "global")[];
        from_block?: number | string;
        to_block?: number | string;
        from_date?: Date | string | number;
        to_date?: Date | string | number;
        addresses?: string | readonly string[];
        cursor?: string;
        limit?: number;
      },
      Page<NftMetadata>
    >;
    /** Returns all NFT transfers in a range of blocks or time; at least one bound is required. */
    readonly getNftTransfersFromToBlock: Call<
      {
        chain?: string | number;
        from_block?: number | string;
        to_block?: number | string;
        from_date?: Date | string | number;
        to_date?: Date | string | number;
        format?: "decimal" | "hex";
        limit?: number;
        cursor?: string;
      },
      NftTransferCollection
    >;
    /** Returns the sales of a collection, latest first. */
    readonly getNFTTrades: Call<
      {
        address?: string;
        chain?: string | number;
        from_block?: number | string;
        to_block?: number | string;
        from_date?: Date | string | number;
        to_date?: Date | string | number;
        marketplace?: "opensea" | "looksrare";
        cursor?: string;
        limit?: number;
        provider_url?: string;
      },
      Page<Trade>
    >;
    /** Returns the lowest sale price in the native coin within the last days. */
    readonly getNFTLowestPrice: Call<
      {
        address?: string;
        chain?: string | number;
        days?: number;
        marketplace?: "opensea" | "looksrare";
        provider_url?: string;
      },
      Trade
    >;
    /** Returns the transfers of a collection, latest first. */
    readonly getContractNFTTransfers: Call<
      {
        address?: string;
        chain?: string | number;
        format?: "decimal" | "hex";
        limit?: number;
        cursor?: string;
      },
      NftTransferCollection
    >;
    /** Returns the owners of a collection: one row per token and owner. */
    readonly getNFTOwners: Call<
      {
        address?: string;
        chain?: string | number;
        format?: "decimal" | "hex";
        limit?: number;
        cursor?: string;
      },
      NftOwnerCollection
    >;
    /** Returns name, symbol and contract type of a collection. */
    readonly getNFTMetadata: Call<{ address?: string; chain?: string | number }, NftContractMetadata>;
    /** Refreshes a collection from the chain. */
    readonly syncNFTContract: Call<{ address?: string; chain?: string | number }, JsonObject>;
    /** Returns the tokens of a collection with metadata. */
    readonly getAllTokenIds: Call<
      {
        address?: string;
        chain?: string | number;
        format?: "decimal" | "hex";
        limit?: number;
        cursor?: string;
      },
      NftCollection
    >;
    /** Refreshes the metadata of one NFT. */
    readonly reSyncMetadata: Call<
      {
        address?: string;
        token_id: string | number | bigint;
        chain?: string | number;
        flag?: "uri" | "metadata";
        mode?: "async" | "sync";
      },
      MetadataResync
    >;
    /** Returns the owners of one NFT. */
    readonly getTokenIdOwners: Call<
      {
        address?: string;
        token_id: string | number | bigint;
        chain?: string | number;
        format?: "decimal" | "hex";
        limit?: number;
        cursor?: string;
      },
      NftOwnerCollection
    >;
    /** Returns the transfers of one NFT. */
    readonly getWalletTokenIdTransfers: Call<
      {
        address?: string;
        token_id: string | number | bigint;
        chain?: string | number;
        format?: "decimal" | "hex";
        limit?: number;
        order?: string | readonly string[];
        cursor?: string;
      },
      NftTransferCollection
    >;
    /** Returns one NFT with its metadata. */
    readonly getTokenIdMetadata: Call<
      {
        address?: string;
        token_id: string | number | bigint;
        chain?: string | number;
        format?: "decimal" | "hex";
      },
      Nft
    >;
  };
  readonly resolve: {
    /** Returns the primary ENS name of an address. */
    readonly resolveAddress: Call<{ address?: string }, ResolvedAddress>;
    /** Resolves a domain to an address. */
    readonly resolveDomain: Call<{ domain: string; currency?: "eth" | "0x1" }, ResolvedDomain>;
  };
  readonly defi: {
    /** Returns the pair contract of two tokens, in either order. */
    readonly getPairAddress: Call<
      {
        token0_address: string;
        token1_address: string;
        chain?: string | number;
        to_block?: number | string;
        to_date?: Date | string | number;
        exchange: string;
      },
      Pair
    >;
    /** Returns the reserves of a pair. */
    readonly getPairReserves: Call<
      {
        pair_address: string;
        chain?: string | number;
        to_block?: number | string;
        to_date?: Date | string | number;
        provider_url?: string;
      },
      ReservesCollection
    >;
  };
  readonly storage: {
    /** Adds files to IPFS as one directory. */
    readonly uploadFolder: Call<
      OneOf<"data" | "abi", readonly { content: unknown; path: string }[]>,
      IpfsFile[]
    >;
  };
  readonly info: {
    /** Version of the API. */
    readonly web3ApiVersion: Call<Record<never, never>, Web3Version>;
    /** Returns the rate limit cost of each endpoint. */
    readonly endpointWeights: Call<Record<never, never>, EndpointWeight[]>;
  };
}

/** Where the REST service has each operation. */
export const operations = {
  native: {
    getDateToBlock: { route: "GET /dateToBlock" },
    getBlock: { route: "GET /block/{block_number_or_hash}" },
    getNFTTransfersByBlock: { route: "GET /block/{block_number_or_hash}/nft/transfers" },
    getTransaction: { route: "GET /transaction/{transaction_hash}" },
    getLogsByAddress: { route: "GET /{address}/logs" },
    getContractEvents: { route: "POST /{address}/events", whole: ["data", "abi"] },
    runContractFunction: { route: "POST /{address}/function", body: { abi: "required", params: "optional" } },
  },
  account: {
    getNFTTransfers: { route: "GET /{address}/nft/transfers" },
    getNFTsForContract: { route: "GET /{address}/nft/{token_address}" },
    getTokenTransfers: { route: "GET /{address}/erc20/transfers" },
    getNativeBalance: { route: "GET /{address}/balance" },
    getTokenBalances: { route: "GET /{address}/erc20" },
    getNFTs: { route: "GET /{address}/nft" },
    getTransactions: { route: "GET /{address}" },
  },
  token: {
    getTokenMetadata: { route: "GET /erc20/metadata" },
    getTokenMetadataBySymbol: { route: "GET /erc20/metadata/symbols" },
    getTokenPrice: { route: "GET /erc20/{address}/price" },
    getTokenAddressTransfers: { route: "GET /erc20/{address}/transfers" },
    getTokenAllowance: { route: "GET /erc20/{address}/allowance" },
    searchNFTs: { route: "GET /nft/search" },
    getNftTransfersFromToBlock: { route: "GET /nft/transfers" },
    getNFTTrades: { route: "GET /nft/{address}/trades" },
    getNFTLowestPrice: { route: "GET /nft/{address}/lowestprice" },
    getContractNFTTransfers: { route: "GET /nft/{address}/transfers" },
    getNFTOwners: { route: "GET /nft/{address}/owners" },
    getNFTMetadata: { route: "GET /nft/{address}/metadata" },
    syncNFTContract: { route: "PUT /nft/{address}/sync" },
    getAllTokenIds: { route: "GET /nft/{address}" },
    reSyncMetadata: { route: "GET /nft/{address}/{token_id}/metadata/resync" },
    getTokenIdOwners: { route: "GET /nft/{address}/{token_id}/owners" },
    getWalletTokenIdTransfers: { route: "GET /nft/{address}/{token_id}/transfers" },
    getTokenIdMetadata: { route: "GET /nft/{address}/{token_id}" },
  },
  resolve: {
    resolveAddress: { route: "GET /resolve/{address}/reverse", chainless: true },
    resolveDomain: { route: "GET /resolve/{domain}", chainless: true },
  },
  defi: {
    getPairAddress: { route: "GET /{token0_address}/{token1_address}/pairAddress" },
    getPairReserves: { route: "GET /{pair_address}/reserves" },
  },
  storage: {
    uploadFolder: { route: "POST /ipfs/uploadFolder", chainless: true, whole: ["data", "abi"] },
  },
  info: {
    web3ApiVersion: { route: "GET /web3/version", chainless: true },
    endpointWeights: { route: "GET /info/endpointWeights", chainless: true },
  },
} as const satisfies OperationTable;
