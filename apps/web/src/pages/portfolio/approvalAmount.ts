import type { ApprovalChange } from "@purse/client";
import type { Translator } from "@purse/ui";
import { formatAmount, parseExactAmount } from "../../money/amount.ts";

type Approval = Pick<ApprovalChange, "approval_type" | "value_formatted" | "is_unlimited"> & {
  token_id?: string | null;
};

/** What an approval allows a spender to take: `Unlimited PURSE`, `50 PURSE`, `All Cats`, `Cats #7`. */
export function approvalAmount(approval: Approval, name: string, { t, language }: Translator): string {
  const token = name.slice(0, 24);
  if (approval.approval_type === "nft_collection") return t("All of {token}", { token: token || "NFT" });
  if (approval.approval_type === "nft") return `${token || "NFT"} #${approval.token_id?.slice(0, 12) ?? ""}`;
  if (approval.is_unlimited) return t("Unlimited {token}", { token: token || "units" });
  return `${formatDecimalText(approval.value_formatted ?? "0", language)} ${token || "units"}`;
}

/** Formats a decimal number that the server has written: `1234.5`. */
function formatDecimalText(text: string, language: string): string {
  const decimals = text.split(".")[1]?.length ?? 0;
  const value = parseExactAmount(text, decimals);
  return value === undefined ? text : formatAmount(value, decimals, language);
}
