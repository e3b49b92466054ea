import { Address, Notice, useTranslation } from "@purse/ui";
import { formatAmount } from "../money/amount.ts";
import { grantedAllowance } from "./allowance.ts";

export interface AllowanceNoticeProps {
  /** Call data. */
  data: string;
  /** The decimals of the called token; undefined if they are unknown, or for NFTs. */
  decimals: number | undefined;
  symbol?: string | undefined;
}

/** Warns of a call that allows another account to take tokens of the wallet; empty for other calls. */
export function AllowanceNotice({ data, decimals, symbol = "" }: AllowanceNoticeProps) {
  const { t, language } = useTranslation();
  const allowance = grantedAllowance(data);
  if (!allowance) return null;
  return (
    <Notice kind="warning" title={t("This gives access to your tokens")}>
      <p>{effect()}</p>
      <Address address={allowance.spender} />
      <p>{t("Only approve addresses that you trust. You can revoke approvals in the portfolio.")}</p>
    </Notice>
  );

  function effect(): string {
    if (!allowance || allowance.kind === "all")
      return t("This address will be able to take all your NFTs of this collection, at any time:");
    if (allowance.isUnlimited)
      return t("This address will be able to take all your tokens of this kind, at any time:");
    if (decimals === undefined) {
      return t(
        "This address will be able to take the NFT with this ID, or this many units ({n}), at any time:",
        { n: String(allowance.amount) },
      );
    }
    return t("This address will be able to take up to {amount} {unit}, at any time:", {
      amount: formatAmount(allowance.amount, decimals, language),
      unit: symbol.slice(0, 20),
    });
  }
}
