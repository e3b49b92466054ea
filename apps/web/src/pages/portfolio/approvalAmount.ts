import type { ApprovalChange } from "@purse/client";
import type { Translator } from "@purse/ui";

type Approval = Pick<ApprovalChange, "approval_type" | "value_formatted" | "is_unlimited"> & {
  token_id?: string | null;
};

/** What an approval allows a spender to take: `Unlimited PURSE`, `50 PURSE`, `All Cats`, `Cats #7`. */
export function approvalAmount(approval: Approval, name: string, t: Translator["t"]): string {
  const token = name.slice(0, 24);
  if (approval.approval_type === "nft_collection") return t("All of {token}", { token: token || "NFT" });
  if (approval.approval_type === "nft") return `${token || "NFT"} #${approval.token_id?.slice(0, 12) ?? ""}`;
  if (approval.is_unlimited) return t("Unlimited {token}", { token: token || "units" });
  return `${approval.value_formatted ?? "0"} ${token || "units"}`;
}
