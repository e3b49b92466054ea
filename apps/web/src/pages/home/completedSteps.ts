import { Query, Web3API } from "@purse/client";
import { DEFAULT_CLASS } from "../data/classes.ts";

/** What a user has already tried; undefined if it could not be read. */
export interface CompletedSteps {
  hasSentCoins: boolean | undefined;
  hasRecords: boolean | undefined;
}

export interface StepOwner {
  /** The wallet of the user, if there is one, with its hex chain ID. */
  wallet: { address: string; chain: string } | undefined;
  /** When the user was created. */
  since: Date;
}

/** Reads from the chain index and the database which of the first steps a user has completed. */
export async function readCompletedSteps(
  { wallet, since }: StepOwner,
  options: { signal: AbortSignal },
): Promise<CompletedSteps> {
  const [sent, records] = await Promise.allSettled([
    wallet ? hasSentCoins(wallet, since, options) : false,
    new Query(DEFAULT_CLASS).first(options),
  ]);
  return {
    hasSentCoins: sent.status === "fulfilled" ? sent.value : undefined,
    hasRecords: records.status === "fulfilled" ? records.value !== undefined : undefined,
  };
}

/**
 * Whether a wallet has sent coins to another account since its user was created: the accounts of the local chain have
 * sent some before anybody used them.
 */
async function hasSentCoins(
  { address, chain }: NonNullable<StepOwner["wallet"]>,
  since: Date,
  options: { signal: AbortSignal },
): Promise<boolean> {
  const own = address.toLowerCase();
  const params = { address: own, chain, from_date: since.toISOString(), limit: 100 };
  const { result = [] } = await Web3API.account.getTransactions(params, options);
  return result.some(({ from_address: from, to_address: to, value, receipt_status: status }) => {
    const isOwn = from.toLowerCase() === own && status !== "0";
    return isOwn && Boolean(to) && to?.toLowerCase() !== own && BigInt(value) > 0n;
  });
}
