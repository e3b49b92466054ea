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
    /** The block whose time is nearest to a date. */
    readonly getDateToBlock: Call<
      { chain?: string | number; providerUrl?: string; date: Date | string | number },
      BlockDate
    >;
    /** A block with its transactions and their logs. */
    readonly getBlock: Call<
      { block_number_or_hash: string | number; chain?: string | number; subdomain?: string },
      Block
    >;
    /** The NFTs that were moved in a block. */
    readonly getNFTTransfersByBlock: Call<
      {
        block_number_or_hash: string | number;
        chain?: string | number;
        subdomain?: string;
        offset?: number;
        limit?: number;
        cursor?: string;
      },
      NftTransferCollection
    >;
    /** A transaction with its receipt and its logs. */
    readonly getTransaction: Call<
      { transaction_hash: string; chain?: string | number; subdomain?: string },
      BlockTransaction
    >;
    /** The logs that a contract has written, newest first. */
    readonly getLogsByAddress: Call<
      {
        address?: string;
        chain?: string | number;
        subdomain?: string;
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
      },
      Page<ContractLog>
    >;
    /** The events of a contract, decoded, newest first. */
    readonly getContractEvents: Call<
      {
        address?: string;
        chain?: string | number;
        subdomain?: string;
        providerUrl?: string;
        from_block?: number | string;
        to_block?: number | string;
        from_date?: Date | string | number;
        to_date?: Date | string | number;
        topic: string;
        offset?: number;
        limit?: number;
      } & OneOf<"data" | "abi", object>,
      ContractEvent[]
    >;
    /** Runs a function of a contract that only reads. */
    readonly runContractFunction: Call<
      {
        address?: string;
        chain?: string | number;
        subdomain?: string;
        providerUrl?: string;
        function_name: string;
        abi: object;
        params?: object;
      },
      string
    >;
  };
  readonly account: {
    /** The NFTs that a wallet has received and sent, newest first. */
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
    /** The NFTs of one collection that a wallet owns. */
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
    /** The tokens that a wallet has received and sent, newest first. */
    readonly getTokenTransfers: Call<
      {
        address?: string;
        chain?: string | number;
        subdomain?: string;
        from_block?: number | string;
        to_block?: number | string;
        from_date?: Date | string | number;
        to_date?: Date | string | number;
        offset?: number;
        limit?: number;
        cursor?: string;
      },
      Page<Erc20Transfer>
    >;
    /** What a wallet has of the chain's own coin. */
    readonly getNativeBalance: Call<
      { address?: string; chain?: string | number; providerUrl?: string; to_block?: number | string },
      NativeBalance
    >;
    /** What a wallet has of each token. */
    readonly getTokenBalances: Call<
      {
        address?: string;
        chain?: string | number;
        subdomain?: string;
        to_block?: number | string;
        token_addresses?: string | readonly string[];
      },
      Erc20Balance[]
    >;
    /** The NFTs that a wallet owns. */
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
    /** The transactions that a wallet has sent and received. */
    readonly getTransactions: Call<
      {
        address?: string;
        chain?: string | number;
        subdomain?: string;
        from_block?: number | string;
        to_block?: number | string;
        from_date?: Date | string | number;
        to_date?: Date | string | number;
        offset?: number;
        cursor?: string;
        limit?: number;
        order?: "desc" | "asc";
      },
      Page<Transaction>
    >;
  };
  readonly token: {
    /** Name, symbol and decimals of tokens. */
    readonly getTokenMetadata: Call<
      {
        chain?: string | number;
        subdomain?: string;
        providerUrl?: string;
        addresses: string | readonly string[];
      },
      Erc20Metadata[]
    >;
    /** The tokens that call themselves by a symbol; there can be several of each. */
    readonly getTokenMetadataBySymbol: Call<
      { chain?: string | number; subdomain?: string; symbols: string | readonly string[] },
      Erc20Metadata[]
    >;
    /** What one whole token costs on a decentralised exchange. */
    readonly getTokenPrice: Call<
      {
        address?: string;
        chain?: string | number;
        providerUrl?: string;
        exchange?: string;
        to_block?: number | string;
      },
      Erc20Price
    >;
    /** The transfers of a token, newest first. */
    readonly getTokenAddressTransfers: Call<
      {
        address?: string;
        chain?: string | number;
        subdomain?: string;
        from_block?: number | string;
        to_block?: number | string;
        from_date?: Date | string | number;
        to_date?: Date | string | number;
        offset?: number;
        limit?: number;
        cursor?: string;
      },
      Page<Erc20Transfer>
    >;
    /** How much of an owner's tokens a spender may move. */
    readonly getTokenAllowance: Call<
      {
        address?: string;
        chain?: string | number;
        providerUrl?: string;
        owner_address: string;
        spender_address: string;
      },
      Erc20Allowance
    >;
    /** NFTs whose metadata has some words. */
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
    /** All NFTs that were moved within some blocks or some time; one bound at least is needed. */
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
    /** The sales of a collection's tokens, newest first. */
    readonly getNFTTrades: Call<
      {
        address?: string;
        chain?: string | number;
        from_block?: number | string;
        to_block?: number | string;
        from_date?: Date | string | number;
        to_date?: Date | string | number;
        provider_url?: string;
        marketplace?: "opensea" | "looksrare";
        cursor?: string;
        limit?: number;
      },
      Page<Trade>
    >;
    /** The cheapest sale in the last days that was paid in the chain's own coin. */
    readonly getNFTLowestPrice: Call<
      {
        address?: string;
        chain?: string | number;
        days?: number;
        provider_url?: string;
        marketplace?: "opensea" | "looksrare";
      },
      Trade
    >;
    /** The transfers of a collection's tokens, newest first. */
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
    /** Who owns a collection's tokens: a row for each token and owner. */
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
    /** Name, symbol and kind of a collection. */
    readonly getNFTMetadata: Call<{ address?: string; chain?: string | number }, NftContractMetadata>;
    /** Asks for a collection to be read from the chain again. */
    readonly syncNFTContract: Call<{ address?: string; chain?: string | number }, JsonObject>;
    /** A collection's tokens with their metadata. */
    readonly getAllTokenIds: Call<
      {
        address?: string;
        chain?: string | number;
        format?: "decimal" | "hex";
        limit?: number;
        cursor?: string;
      },
      Page<Nft>
    >;
    /** Asks for the metadata of one NFT to be read again. */
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
    /** Who owns one NFT. */
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
    /** The transfers of one NFT. */
    readonly getWalletTokenIdTransfers: Call<
      {
        address?: string;
        token_id: string | number | bigint;
        chain?: string | number;
        format?: "decimal" | "hex";
        limit?: number;
        order?: string;
        cursor?: string;
      },
      NftTransferCollection
    >;
    /** One NFT with its metadata. */
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
    /** The ENS name that an address has given itself. */
    readonly resolveAddress: Call<{ address?: string }, ResolvedAddress>;
    /** The address that a domain stands for. */
    readonly resolveDomain: Call<{ domain: string; currency?: "eth" | "0x1" }, ResolvedDomain>;
  };
  readonly defi: {
    /** The contract by which two tokens are exchanged; their order does not matter. */
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
    /** What a pair of an exchange holds of its two tokens. */
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
    /** Puts files into IPFS as one folder. */
    readonly uploadFolder: Call<
      OneOf<"data" | "abi", readonly { path: string; content: unknown }[]>,
      IpfsFile[]
    >;
  };
  readonly info: {
    /** The version of this interface. */
    readonly web3ApiVersion: Call<Record<never, never>, Web3Version>;
    /** What a call of each endpoint costs of the rate limit. */
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
