import type { Erc20Activity } from "../store/erc20Activity.ts";
import { type ChainContext, type SelectChain, selectFullIndex } from "./chainContext.ts";
import { erc20Labels } from "./erc20.ts";
import { blockFields, readList } from "./pagination.ts";
import type { Handlers } from "./routes.ts";
import type { EndpointParameters } from "./table.ts";
import { loadTokenMetadata } from "./tokenMetadata.ts";

type ActivityParameters = EndpointParameters["getErc20Transfers"];

/** Transfers, mints, burns and approvals of ERC-20 tokens by blocks, contracts and wallets. */
export function erc20ActivityHandlers(selectChain: SelectChain) {
  const read = async (
    kind: Erc20Activity["kind"],
    { chain: selector, ...parameters }: ActivityParameters,
  ) => {
    const chain = await selectFullIndex(selectChain, selector, `the ${kind} of tokens`);
    return activityPage(chain, kind, parameters);
  };
  return {
    getErc20Transfers: (parameters) => read("transfers", parameters),
    getErc20Approvals: (parameters) => read("approvals", parameters),
    getErc20Mints: async (parameters) => {
      const page = await read("mints", parameters);
      return { ...page, result: page.result.map(({ from_wallet: _, ...row }) => row) };
    },
    getErc20Burns: async (parameters) => {
      const page = await read("burns", parameters);
      return { ...page, result: page.result.map(({ to_wallet: _, ...row }) => row) };
    },
  } satisfies Partial<Handlers>;
}

async function activityPage(
  chain: ChainContext,
  kind: Erc20Activity["kind"],
  parameters: Omit<ActivityParameters, "chain">,
) {
  const { contract_addresses, exclude_contracts, wallet_addresses, exclude_wallets, order, ...list } =
    parameters;
  const { rows, blocks, page } = await readList(
    chain,
    { ...list, disable_total: true },
    (window) =>
      chain.store.erc20Activity(
        {
          kind,
          contracts: contract_addresses,
          excludedContracts: exclude_contracts,
          wallets: wallet_addresses,
          excludedWallets: exclude_wallets,
        },
        window,
      ),
    order === "asc",
  );
  const metadata = await loadTokenMetadata(chain, [...new Set(rows.map(({ token }) => token))], 20);
  return page(
    rows.map((row) => {
      const { name, symbol, decimals } = metadata.get(row.token) ?? {};
      const { logo, ...labels } = erc20Labels(chain, row.token, metadata.get(row.token));
      return {
        token_name: name ?? "",
        token_symbol: symbol ?? "",
        token_logo: logo,
        token_decimals: typeof decimals === "number" ? String(decimals) : null,
        contract_address: row.token,
        transaction_hash: row.transactionHash,
        transaction_index: row.transactionIndex,
        log_index: row.logIndex,
        ...blockFields(blocks, row.position),
        from_wallet: row.from,
        to_wallet: row.to,
        value: row.value,
        ...labels,
      };
    }),
  );
}
