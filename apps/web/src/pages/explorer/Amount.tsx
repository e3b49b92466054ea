import { useTranslation } from "@purse/ui";
import { formatAmount, formatExactAmount } from "../../money/amount.ts";
import { type CoinUnit, coinAmount } from "../../money/coin.ts";
import { useExplorer } from "./ExplorerContext.ts";

export interface AmountProps {
  value: bigint | string;
  /** Undefined while loading. */
  decimals: number | undefined;
  unit?: string;
}

/** A formatted amount with its exact value in the title. */
export function Amount({ value, decimals, unit }: AmountProps) {
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
  return (
    <AmountText
      text={sign + formatAmount(size, decimals, language)}
      exact={sign + formatExactAmount(size, decimals, language)}
      unit={unit}
    />
  );
}

function AmountText({ text, exact, unit }: { text: string; exact: string; unit: string | undefined }) {
  return (
    <span className="number" title={unit ? `${exact} ${unit}` : exact}>
      {text}
      {unit && (
        <>
          {" "}
          <bdi className="soft">{unit.slice(0, 20)}</bdi>
        </>
      )}
    </span>
  );
}

/** An amount of the native coin, in `unit` or in one that suits its size. */
export function CoinAmount({ wei, unit }: { wei: bigint | string; unit?: CoinUnit | undefined }) {
  const { language } = useTranslation();
  const { chain } = useExplorer();
  return <AmountText {...coinAmount(integerOf(wei), chain.nativeCurrency, language, unit)} />;
}

export function integerOf(text: bigint | string): bigint {
  if (typeof text === "bigint") return text;
  return /^-?\d+$/.test(text) ? BigInt(text) : 0n;
}
