import { Detail, DetailList, useTranslation } from "@purse/ui";
import { formatCoins } from "../../money/coin.ts";
import { fiatValue, formatFiat } from "../../money/fiat.ts";
import type { AppChain } from "../../settings.ts";
import { expectedFeeFor, type Fees, formatEta, maxFeeFor, offeredTiers, type Tier } from "./fees.ts";
import type { Sendable } from "./sendable.ts";

export interface FeeTiersProps {
  fees: Fees;
  gas: bigint;
  chain: AppChain;
  /** The coin that pays the fee, with its price. */
  coin: Sendable | undefined;
  tier: Tier;
  onChoose: (tier: Tier) => void;
  disabled: boolean;
}

/** The expected network fee, with a choice if tiers differ. */
export function FeeTiers({ fees, gas, chain, coin, tier, onChoose, disabled }: FeeTiersProps) {
  const texts = useTranslation();
  const { t, language } = texts;
  const { nativeCurrency } = chain;
  const detailsOf = (each: Tier) => {
    const fee = expectedFeeFor(gas, each, fees.tiers);
    return {
      eta: formatEta(each, fees, texts),
      amount: formatCoins(fee, nativeCurrency, language),
      worth:
        coin && coin.usdPrice !== null
          ? formatFiat(fiatValue(fee, nativeCurrency.decimals, coin.usdPrice), language)
          : undefined,
      title: t("Max. {fee}", {
        fee: formatCoins(maxFeeFor(gas, each, fees.tiers), nativeCurrency, language),
      }),
    };
  };
  const [first = "normal", ...others] = offeredTiers(fees.tiers);
  if (others.length === 0) {
    const { eta, amount, worth, title } = detailsOf(first);
    return (
      <DetailList className="review">
        <Detail label={t("Network fee")} className="number" title={title}>
          {amount} <span className="soft">· {worth === undefined ? eta : `${worth} · ${eta}`}</span>
        </Detail>
      </DetailList>
    );
  }
  return (
    <fieldset className="tiers">
      <legend>{t("Network fee")}</legend>
      {[first, ...others].map((each) => {
        const { eta, amount, worth, title } = detailsOf(each);
        return (
          <label key={each} className="tier">
            <input
              type="radio"
              name="tier"
              checked={tier === each}
              onChange={() => onChoose(each)}
              disabled={disabled}
            />
            <span className="strong">{t(TIER_LABELS[each])}</span>
            <span className="small soft">{eta}</span>
            <span className="small number" title={title}>
              {amount}
              {worth !== undefined && <span className="soft tier-worth">{worth}</span>}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

const TIER_LABELS: Record<Tier, string> = { slow: "Slow", normal: "Normal", fast: "Fast" };
