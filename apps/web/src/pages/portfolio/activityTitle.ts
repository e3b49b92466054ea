import type { Translator } from "@purse/ui";
import { type Activity, movementsOf } from "./activity.ts";

const CATEGORY_LABELS: Record<Activity["entry"]["category"], string> = {
  send: "Sent to",
  "token send": "Sent to",
  "nft send": "Sent to",
  receive: "Received from",
  "token receive": "Received from",
  "nft receive": "Received from",
  "token swap": "Swapped",
  "nft purchase": "Bought",
  "nft sale": "Sold",
  mint: "Minted",
  burn: "Burned",
  deposit: "Deposited",
  withdraw: "Withdrew",
  approve: "Approved",
  revoke: "Approval revoked",
  deploy: "Contract deployed",
  failed: "Failed transaction",
  "contract interaction": "Contract interaction",
};

/** What a transaction did: "Minted", "Contract deployed". */
export function activityTitle(activity: Activity, t: Translator["t"]): string {
  const movements = movementsOf(activity);
  const isSelf = movements.length > 0 && movements.every(({ direction }) => direction === "self");
  return isSelf ? t("Sent to self") : t(CATEGORY_LABELS[activity.entry.category]);
}
