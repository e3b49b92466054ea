import { Cloud } from "./cloud.ts";

/*
 * Chain data for applications from before the Web3API: cloud functions of the same name. `chain` is
 * a name ("Eth") or hex id; `address` defaults to the signed-in user's.
 */

interface ChainAddress {
  chain?: string;
  address?: string;
}

/** An account's tokens, by the server's function of that name. */
export function getAllERC20(options: ChainAddress = {}): Promise<unknown> {
  return Cloud.run("getAllERC20", options);
}

/** One of an account's tokens, by the server's function of that name. */
export function getERC20(
  options: ChainAddress & { symbol?: string; tokenAddress?: string } = {},
): Promise<unknown> {
  return Cloud.run("getERC20", options);
}

/** An account's NFTs, by the server's function `getNFTs_old`. */
export function getNFTs({ chain = "Eth", address = "" }: ChainAddress = {}): Promise<unknown> {
  return Cloud.run("getNFTs_old", { chain, address });
}

/** How many NFTs an account has, by the server's function `getNFTsCount_old`. */
export function getNFTsCount({ chain = "Eth", address = "" }: ChainAddress = {}): Promise<unknown> {
  return Cloud.run("getNFTsCount_old", { chain, address });
}

/** Newest first unless `order` says "asc". */
export function getTransactions({
  chain = "Eth",
  address = "",
  order = "desc",
}: ChainAddress & { order?: "asc" | "desc" } = {}): Promise<unknown> {
  return Cloud.run("getTransactions", { chain, address, order });
}

/** How many transactions an account has sent, by the server's function of that name. */
export function getTransactionsCount({ chain = "Eth", address = "" }: ChainAddress = {}): Promise<unknown> {
  return Cloud.run("getTransactionsCount", { chain, address });
}
