import type { BalanceChange, Simulation } from "@purse/client";
import { Notice, shortAddress, useTranslation } from "@purse/ui";
import { formatExactAmount } from "../../money/amount.ts";
import type { AppChain } from "../../settings.ts";
import type { Sendable } from "./sendable.ts";

export interface SimulationResultProps {
  simulation: Simulation;
  /** Tokens whose units are known. */
  items?: readonly Sendable[];
  chain: AppChain;
}

/** The result of a simulation: why it failed, or the balance changes of the sender. */
export function SimulationResult({ simulation, items = [], chain }: SimulationResultProps) {
  const { t, language } = useTranslation();
  const { changes, complete, revert } = simulation;
  if (revert) {
    return (
      <Notice kind="danger" title={t("Simulation failed")}>
        <bdi>{revert.reason.slice(0, 300)}</bdi>
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
              {formatChange(change, items, chain, language)}
            </li>
          ))}
        </ul>
      )}
      {!complete && <p className="small">{t("This node can't simulate token transfers.")}</p>}
    </Notice>
  );
}

function formatChange(
  { type, amount, contractAddress, tokenId }: BalanceChange,
  items: readonly Sendable[],
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
  const item = items.find(({ contract }) => contract?.toLowerCase() === contractAddress);
  if (item && contractAddress !== null) {
    return `${sign}${formatExactAmount(size, item.decimals, language)} ${item.unit}`;
  }
  return `${sign}${formatExactAmount(size, 0, language)} units of ${shortAddress(contractAddress ?? "")}`;
}
