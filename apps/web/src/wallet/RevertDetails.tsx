import type { Revert } from "@purse/client";
import { useTranslation } from "@purse/ui";
import { type RevertedToken, revertText } from "./revertText.ts";

export interface RevertDetailsProps {
  revert: Pick<Revert, "reason" | "errorName" | "errorArgs">;
  /** The token whose contract was called, if it is one. */
  token?: RevertedToken | undefined;
}

/** Why a call was reverted: in words if its error is known, and as the contract said it. */
export function RevertDetails({ revert, token }: RevertDetailsProps) {
  const texts = useTranslation();
  const meaning = revertText(revert, token, texts);
  const reason = <bdi className="reason">{revert.reason.slice(0, 400)}</bdi>;
  if (meaning === undefined) return reason;
  return (
    <>
      {meaning}
      <br />
      <span className="small soft">{reason}</span>
    </>
  );
}
