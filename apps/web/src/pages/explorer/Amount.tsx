import { useTranslation } from "@purse/ui";
import { exactAmount, formatAmount } from "../../money/amount.ts";
import { useExplorer } from "./ExplorerContext.ts";

/** A formatted amount with its exact value in the title. */
export function Amount({
  value,
  decimals,
  unit,
}: {
  value: bigint | string;
  /** Undefined while loading. */
  decimals: number | undefined;
  unit?: string;
}) {
  const { t, language } = useTranslation();
  if (decimals === undefined) {
    return (
      <span className="soft" title={t("{n} in the smallest unit", { n: String(value) })}>
        …
      </span>
    );
  }
  const amount = integerOf(value);
  const sign = amount < 0n ? "−" : "";
  const size = amount < 0n ? -amount : amount;
  const exact = `${sign}${exactAmount(size, decimals)}`;
  return (
    <span className="number" title={unit ? `${exact} ${unit}` : exact}>
      {sign}
      {formatAmount(size, decimals, language)}
      {unit && (
        <>
          {" "}
          <bdi className="soft">{unit.slice(0, 20)}</bdi>
        </>
      )}
    </span>
  );
}

/** An amount of the native coin, in wei. */
export function CoinAmount({ wei }: { wei: bigint | string }) {
  const { decimals, symbol } = useExplorer().chain.nativeCurrency;
  return <Amount value={wei} decimals={decimals} unit={symbol} />;
}

export function integerOf(text: bigint | string): bigint {
  if (typeof text === "bigint") return text;
  return /^-?\d+$/.test(text) ? BigInt(text) : 0n;
}
