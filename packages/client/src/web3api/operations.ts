// Written by scripts/web3api.ts from the data API's table of endpoints: change that, not this.
import type { JsonObject } from "@purse/protocol";
import type { Call, OneOf, OperationNames } from "./operation.ts";
import type {
  AddressInternalTransactionCollection,
  Block,
  BlockDate,
  BlockStats,
  BlockTransaction,
  BlockTransactionDecoded,
  CandleCollection,
  ContractSource,
  EndpointWeight,
  Erc20Allowance,
  Erc20Balance,
  Erc20Burns,
  Erc20HolderHistory,
  Erc20Metadata,
  Erc20Mints,
  Erc20OwnerCollection,
  Erc20Price,
  Erc20Stats,
  Erc20TransactionCollection,
  Erc20Transfers,
  InternalTransaction,
  IpfsFile,
  LogCollection,
  LogEventCollection,
  MetadataResync,
  NativeBalance,
  NativeBalances,
  Nft,
  NftCollection,
  NftCollectionStats,
  NftContractMetadata,
  NftMetadata,
  NftOwnerCollection,
  NftRarities,
  NftTokenStats,
  NftTraits,
  NftTransferCollection,
  Page,
  Pair,
  PendingTransactionCollection,
  ReservesCollection,
  ResolvedAddress,
  ResolvedDomain,
  TokenPriceRow,
  Trade,
  TradeCollection,
  TransactionCollection,
  TransactionsDecoded,
  UserOperation,
  UserOperationCollection,
  WalletApprovalCollection,
  WalletChains,
  WalletCollection,
  WalletHistoryCollection,
  WalletNetWorth,
  WalletStats,
  WalletTokenCollection,
  Web3Version,
} from "./results.ts";

type AddressOnChain = { address?: string; chain?: string | number };

type OnChain = { chain?: string | number };

type NftPage = {
  format?: "decimal" | "hex";
  offset?: number;
  limit?: number;
  cursor?: string;
  disable_total?: boolean;
};

type BlockRange = {
  from_block?: number | string;
  to_block?: number | string;
  from_date?: Date | string | number;
  to_date?: Date | string | number;
};

type DateRange = { from_date?: Date | string | number; to_date?: Date | string | number };

type ListPage = { offset?: number; limit?: number; cursor?: string; disable_total?: boolean };

type CursorPage = { limit?: number; cursor?: string };

/** The calls of each group, by the parameters that they take and what they answer. */
export interface Operations {
  readonly native: {
    /** Returns the block nearest to a date. */
    readonly getDateToBlock: Call<
      OnChain & { date: Date | string | number; providerUrl?: string },
      BlockDate
    >;
    /** Returns a block with its transactions and their logs. */
    readonly getBlock: Call<
      OnChain & {
        block_number_or_hash: string | number;
        include?: "internal_transactions";
        subdomain?: string;
      },
      Block
    >;
    /** Returns the numbers of transactions and transfers of a block. */
    readonly getBlockStats: Call<OnChain & { block_number_or_hash: string | number }, BlockStats>;
    /** Returns the NFT transfers of a block. */
    readonly getNFTTransfersByBlock: Call<
      OnChain &
        ListPage & { block_number_or_hash: string | number; order?: "desc" | "asc"; subdomain?: string },
      NftTransferCollection
    >;
    /** A transaction with its receipt and its logs. */
    readonly getTransaction: Call<
      OnChain & { transaction_hash: string; include?: "internal_transactions"; subdomain?: string },
      BlockTransaction
    >;
    /** Returns a transaction with its receipt, its call and its logs, decoded if they are well known. */
    readonly getTransactionVerbose: Call<
      OnChain & { transaction_hash: string; include?: "internal_transactions" },
      BlockTransactionDecoded
    >;
    /** Returns the calls between contracts in a transaction, if the node traces transactions. */
    readonly getInternalTransactions: Call<OnChain & { transaction_hash: string }, InternalTransaction[]>;
    /** Returns the verified source code and the ABI of a contract from the operator's repositories. */
    readonly getContractSource: Call<AddressOnChain, ContractSource>;
    /** Returns the logs of a contract, latest first. */
    readonly getLogsByAddress: Call<
      AddressOnChain &
        BlockRange &
        ListPage & {
          block_number?: number | string;
          topic0?: string;
          topic1?: string;
          topic2?: string;
          topic3?: string;
          order?: "desc" | "asc";
          subdomain?: string;
        },
      LogCollection
    >;
    /** Returns decoded events of a contract, latest first. */
    readonly getContractEvents: Call<
      AddressOnChain &
        BlockRange &
        ListPage & {
          topic: string;
          order?: "desc" | "asc";
          subdomain?: string;
          providerUrl?: string;
        } & OneOf<"data" | "abi", object>,
      LogEventCollection
    >;
    /** Calls a view or pure function of a contract. */
    readonly runContractFunction: Call<
      AddressOnChain & {
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
    /** Returns the user operations (ERC-4337) of a smart account or a paymaster, latest first. */
    readonly getUserOperations: Call<
      OnChain & BlockRange & ListPage & { sender?: string; paymaster?: string; order?: "desc" | "asc" },
      UserOperationCollection
    >;
    /** Returns a user operation (ERC-4337) by its hash. */
    readonly getUserOperation: Call<OnChain & { user_op_hash: string }, UserOperation>;
    /** Returns the native balances of several wallets at one block, and their sum. */
    readonly getNativeBalancesForAddresses: Call<
      OnChain & { to_block?: number | string; wallet_addresses: string | readonly string[] },
      NativeBalances[]
    >;
    /** Returns the approvals of a wallet that are still open, with what is at risk, latest first. */
    readonly getWalletApprovals: Call<
      AddressOnChain & CursorPage & { token_addresses?: string | readonly string[] },
      WalletApprovalCollection
    >;
    /** Returns what a wallet did and what happened to it, by transaction, latest first. */
    readonly getWalletHistory: Call<
      AddressOnChain &
        BlockRange &
        CursorPage & {
          order?: "desc" | "asc";
          include_internal_transactions?: boolean;
          nft_metadata?: string;
        },
      WalletHistoryCollection
    >;
    /** Returns the coins that contracts sent to or from an address, and the contracts that they created, latest first. Requires the setting traces. */
    readonly getWalletInternalTransactions: Call<
      AddressOnChain & BlockRange & ListPage & { order?: "desc" | "asc" },
      AddressInternalTransactionCollection
    >;
    /** Returns the transactions of a wallet that the node has but no block yet, by nonce. */
    readonly getPendingTransactions: Call<AddressOnChain & CursorPage, PendingTransactionCollection>;
    /** Returns the native and ERC-20 balances of a wallet with prices, the most valuable first. */
    readonly getWalletTokenBalancesPrice: Call<
      AddressOnChain &
        CursorPage & {
          chains?: string | readonly string[];
          token_addresses?: string | readonly string[];
          exclude_native?: "true" | "false";
          exclude_spam?: boolean;
          exclude_unverified_contracts?: boolean;
        },
      WalletTokenCollection
    >;
    /** Returns what the native coins and tokens of a wallet are worth on several chains. */
    readonly getWalletNetWorth: Call<
      {
        address?: string;
        chains?: string | readonly string[];
        exclude_spam?: boolean;
        exclude_unverified_contracts?: boolean;
      },
      WalletNetWorth
    >;
    /** Returns how many NFTs, transactions and transfers a wallet has. */
    readonly getWalletStats: Call<AddressOnChain, WalletStats>;
    /** Returns the chains on which a wallet was active, with its first and last transaction. */
    readonly getWalletActiveChains: Call<
      { address?: string; chains?: string | readonly string[] },
      WalletChains
    >;
    /** Returns NFT transfers from and to a wallet, latest first. */
    readonly getNFTTransfers: Call<
      AddressOnChain &
        NftPage &
        BlockRange & {
          direction?: "both" | "to" | "from";
          contract_addresses?: string | readonly string[];
          order?: "desc" | "asc";
        },
      NftTransferCollection
    >;
    /** Returns the collections of which a wallet owns NFTs, with their number. */
    readonly getWalletNFTCollections: Call<
      AddressOnChain &
        CursorPage & { disable_total?: boolean; exclude_spam?: boolean; token_counts?: string },
      Page<WalletCollection>
    >;
    /** Returns the NFTs of one collection that a wallet owns. */
    readonly getNFTsForContract: Call<
      AddressOnChain & NftPage & { token_address: string; normalizeMetadata?: boolean },
      NftOwnerCollection
    >;
    /** Returns ERC-20 transfers from and to a wallet, latest first. */
    readonly getTokenTransfers: Call<
      AddressOnChain &
        BlockRange &
        ListPage & {
          contract_addresses?: string | readonly string[];
          order?: "desc" | "asc";
          subdomain?: string;
        },
      Erc20TransactionCollection
    >;
    /** Returns the native balance of a wallet. */
    readonly getNativeBalance: Call<
      AddressOnChain & { to_block?: number | string; providerUrl?: string },
      NativeBalance
    >;
    /** Returns the ERC-20 balances of a wallet. */
    readonly getTokenBalances: Call<
      AddressOnChain & {
        to_block?: number | string;
        token_addresses?: string | readonly string[];
        exclude_spam?: boolean;
        subdomain?: string;
      },
      Erc20Balance[]
    >;
    /** Returns the NFTs that a wallet owns. */
    readonly getNFTs: Call<
      AddressOnChain &
        NftPage & {
          token_addresses?: string | readonly string[];
          normalizeMetadata?: boolean;
          exclude_spam?: boolean;
        },
      NftOwnerCollection
    >;
    /** Returns the transactions from and to a wallet with their logs, decoded if they are well known. */
    readonly getTransactionsVerbose: Call<
      AddressOnChain & BlockRange & ListPage & { order?: "desc" | "asc" },
      TransactionsDecoded
    >;
    /** Returns the transactions from and to a wallet. */
    readonly getTransactions: Call<
      AddressOnChain & BlockRange & ListPage & { order?: "desc" | "asc"; subdomain?: string },
      TransactionCollection
    >;
  };
  readonly token: {
    /** Returns transfers of all tokens, latest first. */
    readonly getErc20Transfers: Call<
      OnChain &
        BlockRange &
        CursorPage & {
          contract_addresses?: string | readonly string[];
          exclude_contracts?: string | readonly string[];
          wallet_addresses?: string | readonly string[];
          exclude_wallets?: string | readonly string[];
          order?: "desc" | "asc";
        },
      Erc20Transfers
    >;
    /** Returns transfers from the null address, latest first. */
    readonly getErc20Mints: Call<
      OnChain &
        BlockRange &
        CursorPage & {
          contract_addresses?: string | readonly string[];
          exclude_contracts?: string | readonly string[];
          wallet_addresses?: string | readonly string[];
          exclude_wallets?: string | readonly string[];
          order?: "desc" | "asc";
        },
      Erc20Mints
    >;
    /** Returns transfers to the null address, latest first. */
    readonly getErc20Burns: Call<
      OnChain &
        BlockRange &
        CursorPage & {
          contract_addresses?: string | readonly string[];
          exclude_contracts?: string | readonly string[];
          wallet_addresses?: string | readonly string[];
          exclude_wallets?: string | readonly string[];
          order?: "desc" | "asc";
        },
      Erc20Burns
    >;
    /** Returns approvals of tokens, latest first: from_wallet is the owner, to_wallet the spender. */
    readonly getErc20Approvals: Call<
      OnChain &
        BlockRange &
        CursorPage & {
          contract_addresses?: string | readonly string[];
          exclude_contracts?: string | readonly string[];
          wallet_addresses?: string | readonly string[];
          exclude_wallets?: string | readonly string[];
          order?: "desc" | "asc";
        },
      Erc20Transfers
    >;
    /** Returns name, symbol and decimals of tokens. */
    readonly getTokenMetadata: Call<
      OnChain & { addresses: string | readonly string[]; subdomain?: string; providerUrl?: string },
      Erc20Metadata[]
    >;
    /** Returns the tokens with a symbol; several tokens can have the same one. */
    readonly getTokenMetadataBySymbol: Call<
      OnChain & { symbols: string | readonly string[]; subdomain?: string },
      Erc20Metadata[]
    >;
    /** Returns up to 100 tokens by symbol, name or address; equal symbols and names first. */
    readonly searchTokens: Call<OnChain & { query: string; include_collections?: boolean }, Erc20Metadata[]>;
    /** Reads name, symbol and decimals of a token from its contract again. */
    readonly resyncTokenMetadata: Call<AddressOnChain, Erc20Metadata>;
    /** Returns the owners of a token with their balances and shares, the largest first. */
    readonly getTokenOwners: Call<
      AddressOnChain & CursorPage & { order?: "desc" | "asc" },
      Erc20OwnerCollection
    >;
    /** Returns the number of holders of a token over time, latest first. */
    readonly getHistoricalTokenHolders: Call<
      AddressOnChain & {
        fromDate: Date | string | number;
        toDate?: Date | string | number;
        timeFrame?: "1h" | "4h" | "12h" | "1d" | "1w";
      },
      Erc20HolderHistory
    >;
    /** Returns supply, number of holders and transfers, creator and creation block of a token. */
    readonly getTokenStats: Call<AddressOnChain, Erc20Stats>;
    /** Returns the price of a token on decentralized exchanges. */
    readonly getTokenPrice: Call<
      AddressOnChain & { exchange?: string; to_block?: number | string; providerUrl?: string },
      Erc20Price
    >;
    /** Returns the transfers of a token, latest first. */
    readonly getTokenAddressTransfers: Call<
      AddressOnChain & BlockRange & ListPage & { order?: "desc" | "asc"; subdomain?: string },
      Erc20TransactionCollection
    >;
    /** Returns the allowance of a spender. */
    readonly getTokenAllowance: Call<
      AddressOnChain & { owner_address: string; spender_address: string; providerUrl?: string },
      Erc20Allowance
    >;
    /** Returns several NFTs with their metadata, in the given order; unknown ones are omitted. */
    readonly getMultipleNFTs: Call<
      OnChain & {
        format?: "decimal" | "hex";
        tokens: readonly { token_address: string; token_id: string }[];
        normalizeMetadata?: boolean;
      },
      Nft[]
    >;
    /** Returns the number of tokens, owners, transfers and sales of a collection, its floor price and volume. */
    readonly getNFTCollectionStats: Call<
      AddressOnChain & {
        days?: number;
        marketplace?: "opensea" | "looksrare" | "blur" | "x2y2" | "sudoswap" | "0xprotocol" | "all";
      },
      NftCollectionStats
    >;
    /** Returns the traits of a collection with the number and share of tokens that have each value. */
    readonly getNFTTraitsByCollection: Call<AddressOnChain, NftTraits>;
    /** Returns the tokens of a collection with the rarity of their traits, the rarest first. */
    readonly getNFTCollectionRarity: Call<
      AddressOnChain & CursorPage & { token_id?: string | number | bigint },
      NftRarities
    >;
    /** Searches NFTs by metadata. */
    readonly searchNFTs: Call<
      OnChain &
        NftPage &
        BlockRange & {
          q: string;
          filter?: string | readonly ("name" | "description" | "attributes" | "global")[];
          addresses?: string | readonly string[];
        },
      Page<NftMetadata>
    >;
    /** Returns all NFT transfers in a range of blocks or time; at least one bound is required. */
    readonly getNftTransfersFromToBlock: Call<
      OnChain & NftPage & BlockRange & { order?: "desc" | "asc" },
      NftTransferCollection
    >;
    /** Returns the sales of a collection, latest first. */
    readonly getNFTTrades: Call<
      AddressOnChain &
        BlockRange &
        ListPage & {
          marketplace?: "opensea" | "looksrare" | "blur" | "x2y2" | "sudoswap" | "0xprotocol" | "all";
          provider_url?: string;
        },
      TradeCollection
    >;
    /** Returns the lowest sale price in the native coin within the last days. */
    readonly getNFTLowestPrice: Call<
      AddressOnChain & {
        days?: number;
        marketplace?: "opensea" | "looksrare" | "blur" | "x2y2" | "sudoswap" | "0xprotocol" | "all";
        provider_url?: string;
      },
      Trade
    >;
    /** Returns the transfers of a collection, latest first. */
    readonly getContractNFTTransfers: Call<
      AddressOnChain & NftPage & BlockRange & { order?: "desc" | "asc" },
      NftTransferCollection
    >;
    /** Returns the owners of a collection: one row per token and owner. */
    readonly getNFTOwners: Call<
      AddressOnChain & NftPage & { normalizeMetadata?: boolean },
      NftOwnerCollection
    >;
    /** Returns name, symbol and contract type of a collection. */
    readonly getNFTMetadata: Call<AddressOnChain, NftContractMetadata>;
    /** Refreshes a collection from the chain. */
    readonly syncNFTContract: Call<AddressOnChain, JsonObject>;
    /** Returns the tokens of a collection with metadata. */
    readonly getAllTokenIds: Call<AddressOnChain & NftPage & { normalizeMetadata?: boolean }, NftCollection>;
    /** Refreshes the metadata of one NFT. */
    readonly reSyncMetadata: Call<
      AddressOnChain & {
        token_id: string | number | bigint;
        flag?: "uri" | "metadata";
        mode?: "async" | "sync";
      },
      MetadataResync
    >;
    /** Returns the owners of one NFT. */
    readonly getTokenIdOwners: Call<
      AddressOnChain & NftPage & { token_id: string | number | bigint; normalizeMetadata?: boolean },
      NftOwnerCollection
    >;
    /** Returns the transfers of one NFT. */
    readonly getWalletTokenIdTransfers: Call<
      AddressOnChain & NftPage & { token_id: string | number | bigint; order?: string | readonly string[] },
      NftTransferCollection
    >;
    /** Returns the sales of one NFT, latest first. */
    readonly getNFTTradesByToken: Call<
      AddressOnChain &
        BlockRange &
        ListPage & {
          token_id: string | number | bigint;
          marketplace?: "opensea" | "looksrare" | "blur" | "x2y2" | "sudoswap" | "0xprotocol" | "all";
        },
      TradeCollection
    >;
    /** Returns the number of owners and of transfers of one NFT. */
    readonly getNFTTokenStats: Call<AddressOnChain & { token_id: string | number | bigint }, NftTokenStats>;
    /** Returns one NFT with its metadata. */
    readonly getTokenIdMetadata: Call<
      AddressOnChain & {
        token_id: string | number | bigint;
        format?: "decimal" | "hex";
        normalizeMetadata?: boolean;
      },
      Nft
    >;
    /** Returns the prices of several tokens with their change within 24 hours. */
    readonly getMultipleTokenPrices: Call<
      OnChain & {
        tokens: readonly { token_address: string; exchange?: string; to_block?: number | string }[];
        include?: string;
      },
      TokenPriceRow[]
    >;
    /** Returns the price history of a token from its most liquid pool. */
    readonly getTokenCandlesticks: Call<
      AddressOnChain &
        DateRange &
        CursorPage & {
          timeframe?: "1min" | "5min" | "10min" | "30min" | "1h" | "4h" | "12h" | "1d" | "1w" | "1M";
          currency?: "usd" | "native";
        },
      CandleCollection
    >;
  };
  readonly resolve: {
    /** Returns the primary ENS name of an address. */
    readonly resolveAddress: Call<{ address?: string }, ResolvedAddress>;
    /** Resolves an ENS name to an address. */
    readonly resolveENSDomain: Call<{ domain: string }, ResolvedDomain>;
    /** Resolves a domain to an address. */
    readonly resolveDomain: Call<{ domain: string; currency?: "eth" | "0x1" }, ResolvedDomain>;
  };
  readonly defi: {
    /** Returns the price history of a pair of an exchange. */
    readonly getPairCandlesticks: Call<
      OnChain &
        DateRange &
        CursorPage & {
          pair_address: string;
          timeframe?: "1min" | "5min" | "10min" | "30min" | "1h" | "4h" | "12h" | "1d" | "1w" | "1M";
          currency?: "usd" | "native";
        },
      CandleCollection
    >;
    /** Returns the pair contract of two tokens, in either order. */
    readonly getPairAddress: Call<
      OnChain & {
        token0_address: string;
        token1_address: string;
        to_block?: number | string;
        to_date?: Date | string | number;
        exchange: string;
      },
      Pair
    >;
    /** Returns the reserves of a pair. */
    readonly getPairReserves: Call<
      OnChain & {
        pair_address: string;
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

/** Their names by group, in one text for each: see OperationNames. */
export const operations: OperationNames<keyof Operations> = {
  native:
    "getDateToBlock getBlock getBlockStats getNFTTransfersByBlock getTransaction getTransactionVerbose getInternalTransactions getContractSource@ getLogsByAddress@ getContractEvents@ runContractFunction@",
  account:
    "getUserOperations getUserOperation getNativeBalancesForAddresses getWalletApprovals@ getWalletHistory@ getWalletInternalTransactions@ getPendingTransactions@ getWalletTokenBalancesPrice@ getWalletNetWorth@! getWalletStats@ getWalletActiveChains@! getNFTTransfers@ getWalletNFTCollections@ getNFTsForContract@ getTokenTransfers@ getNativeBalance@ getTokenBalances@ getNFTs@ getTransactionsVerbose@ getTransactions@",
  token:
    "getErc20Transfers getErc20Mints getErc20Burns getErc20Approvals getTokenMetadata getTokenMetadataBySymbol searchTokens resyncTokenMetadata@ getTokenOwners@ getHistoricalTokenHolders@ getTokenStats@ getTokenPrice@ getTokenAddressTransfers@ getTokenAllowance@ getMultipleNFTs getNFTCollectionStats@ getNFTTraitsByCollection@ getNFTCollectionRarity@ searchNFTs getNftTransfersFromToBlock getNFTTrades@ getNFTLowestPrice@ getContractNFTTransfers@ getNFTOwners@ getNFTMetadata@ syncNFTContract@ getAllTokenIds@ reSyncMetadata@ getTokenIdOwners@ getWalletTokenIdTransfers@ getNFTTradesByToken@ getNFTTokenStats@ getTokenIdMetadata@ getMultipleTokenPrices getTokenCandlesticks@",
  resolve: "resolveAddress@! resolveENSDomain! resolveDomain!",
  defi: "getPairCandlesticks getPairAddress getPairReserves",
  storage: "uploadFolder!",
  info: "web3ApiVersion! endpointWeights!",
};
