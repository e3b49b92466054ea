import { type BalanceChange, type Simulation, Web3API } from "@purse/client";
import { Notice, shortAddress, useTranslation } from "@purse/ui";
import { formatExactAmount } from "../../money/amount.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";
import { RevertDetails } from "../../wallet/RevertDetails.tsx";
import type { RevertedToken } from "../../wallet/revertText.ts";
import type { Sendable } from "./sendable.ts";

export interface SimulationResultProps {
  simulation: Simulation;
  /** Tokens whose units are known; those of others are read. */
  items?: readonly TokenUnit[];
  /** The token whose contract is called. */
  token?: RevertedToken | undefined;
  chain: AppChain;
}

type TokenUnit = Pick<Sendable, "contract" | "decimals" | "unit">;

/** The result of a simulation: why it failed, or the balance changes of the sender. */
export function SimulationResult({ simulation, items = [], token, chain }: SimulationResultProps) {
  const { t, language } = useTranslation();
  const { changes, complete, revert } = simulation;
  const units = useTokenUnits(changes, items, chain);
  if (revert) {
    return (
      <Notice kind="danger" title={t("Simulation failed")}>
        <RevertDetails revert={revert} token={token} />
      </Notice>
    );
  }
  return (
    <Notice kind="ok" title={t("Simulation succeeded")}>
      {changes.length === 0 ? (
        <p>{t("No balance changes except the fee.")}</p>
      ) : (
        <ul>
          {changes.map((change) => (
            <li key={`${change.contractAddress}/${change.tokenId}`} className="number exact">
              {formatChange(change, units, chain, language)}
            </li>
          ))}
        </ul>
      )}
      {!complete && <p className="small">{t("This node can't simulate token transfers.")}</p>}
    </Notice>
  );
}

/** The units of the tokens whose balances change. */
function useTokenUnits(
  changes: readonly BalanceChange[],
  items: readonly TokenUnit[],
  chain: AppChain,
): readonly TokenUnit[] {
  const known = items.map(({ contract }) => contract?.toLowerCase());
  const unknown = changes.flatMap(({ contractAddress, tokenId }) =>
    contractAddress === null || tokenId !== null || known.includes(contractAddress) ? [] : [contractAddress],
  );
  const { data = [] } = useServerQuery({
    queryKey: unknown.length === 0 ? undefined : ["token metadata", chain.hexId, ...unknown],
    queryFn: (options) => Web3API.token.getTokenMetadata({ chain: chain.hexId, addresses: unknown }, options),
  });
  const read = data.flatMap(({ address, symbol, decimals }): TokenUnit[] =>
    decimals === null ? [] : [{ contract: address, decimals: Number(decimals), unit: symbol.slice(0, 16) }],
  );
  return [...items, ...read];
}

function formatChange(
  { type, amount, contractAddress, tokenId }: BalanceChange,
  units: readonly TokenUnit[],
  chain: AppChain,
  language: string,
): string {
  const sign = amount < 0n ? "−" : "+";
  const size = amount < 0n ? -amount : amount;
  if (type === "native") {
    const { symbol, decimals } = chain.nativeCurrency;
    return `${sign}${formatExactAmount(size, decimals, language)} ${symbol}`;
  }
  if (tokenId !== null) return `${sign}${formatExactAmount(size, 0, language)} × NFT #${tokenId}`;
  const item = units.find(({ contract }) => contract?.toLowerCase() === contractAddress);
  if (item && contractAddress !== null) {
    return `${sign}${formatExactAmount(size, item.decimals, language)} ${item.unit}`;
  }
  return `${sign}${formatExactAmount(size, 0, language)} units of ${shortAddress(contractAddress ?? "")}`;
}
