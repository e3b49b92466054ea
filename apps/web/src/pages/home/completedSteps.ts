import { Query, Web3API } from "@purse/client";
import { DEFAULT_CLASS } from "../data/classes.ts";

/** A wallet and its hex chain ID. */
export interface StepWallet {
  address: string;
  chain: string;
}

/**
 * Whether a wallet has sent coins to another account since its user was created (ms since 1970): the accounts of the local
 * chain have sent some before anybody used them.
 */
export async function hasSentCoins(
  { address, chain }: StepWallet,
  since: number,
  options: { signal: AbortSignal },
): Promise<boolean> {
  const own = address.toLowerCase();
  const params = { address: own, chain, from_date: new Date(since).toISOString(), limit: 100 };
  const { result = [] } = await Web3API.account.getTransactions(params, options);
  return result.some(({ from_address: from, to_address: to, value, receipt_status: status }) => {
    const isOwn = from.toLowerCase() === own && status !== "0";
    return isOwn && Boolean(to) && to?.toLowerCase() !== own && BigInt(value) > 0n;
  });
}

/** Whether the class of the sample records has some that the user can read. */
export async function hasRecords(options: { signal: AbortSignal }): Promise<boolean> {
  return (await new Query(DEFAULT_CLASS).first(options)) !== undefined;
}
