import type { Moralis } from "@purse/client";
import type { AppChain } from "../settings.ts";

const MAX_ROWS = 100;

/**
 * Recent recipients of an address on a chain, lower-case hex. Only transfers of its own transactions count, because
 * any token can emit transfers in the name of others to poison histories with look-alikes.
 */
export async function pastRecipients(
  { account }: typeof Moralis.Web3API,
  address: string,
  chain: AppChain,
  options: { signal?: AbortSignal } = {},
): Promise<string[]> {
  const params = { address, chain: chain.hexId, limit: MAX_ROWS };
  const [sent, tokens] = await Promise.all([
    account.getTransactions(params, options),
    account.getTokenTransfers(params, options),
  ]);
  const own = (sent.result ?? []).filter(({ from_address }) => from_address.toLowerCase() === address);
  const hashes = new Set(own.map(({ hash }) => hash));
  const coinRecipients = own.flatMap(({ value, to_address }) =>
    BigInt(value) > 0n && to_address ? [to_address.toLowerCase()] : [],
  );
  const tokenRecipients = (tokens.result ?? []).flatMap(
    ({ transaction_hash, value, from_address, to_address }) =>
      hashes.has(transaction_hash) && BigInt(value) > 0n && from_address.toLowerCase() === address
        ? [to_address.toLowerCase()]
        : [],
  );
  return [...new Set([...coinRecipients, ...tokenRecipients])];
}
