import type { BlockTransaction } from "@purse/client";
import { Button } from "../../design/Button.tsx";
import { Notice } from "../../design/Status.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { ConnectWalletButton } from "../../wallet/ConnectWallet.tsx";
import { revertReason } from "./abi/decode.ts";
import { type PageNode, useNode } from "./node.ts";
import { replay, traceTransaction } from "./trace.ts";
import { useNodeAnswer } from "./useNodeAnswer.ts";

/** Why a transaction was reverted: as its trace tells, else by running it again before its block. */
export function RevertReason({ transaction }: { transaction: BlockTransaction }) {
  const { t } = useTexts();
  const node = useNode();
  const why = useNodeAnswer(node, ["revert", transaction.hash], (asked) => whyReverted(asked, transaction));
  const isOutOfGas = transaction.receipt_gas_used === transaction.gas;
  const reason = why?.data ?? undefined;
  return (
    <Notice kind="danger" title={t("Reverted: nothing that it did holds, but for its fee")}>
      {reason ? (
        <p>
          {t("The reason:")} <bdi className="reason">{reason.slice(0, 400)}</bdi>
        </p>
      ) : isOutOfGas ? (
        <p>{t("It used all of its gas: probably there was not enough.")}</p>
      ) : why === undefined ? (
        <div className="row">
          <p>{t("Connect a wallet on this chain to ask its node for the reason.")}</p>
          <ConnectWalletButton small />
        </div>
      ) : why.error !== null ? (
        <div className="row">
          <p>{t("The node could not be asked for the reason.")}</p>
          <Button small busy={why.isFetching} onClick={() => void why.refetch()}>
            {t("Try again")}
          </Button>
        </div>
      ) : why.data === undefined ? (
        <p>{t("Asking the node for the reason …")}</p>
      ) : (
        <p>{t("No reason was given.")}</p>
      )}
    </Notice>
  );
}

/** Null where no reason was given. Rejects where the node does not answer. */
async function whyReverted(node: PageNode, transaction: BlockTransaction): Promise<string | null> {
  const trace = await traceTransaction(node, transaction.hash).catch(() => undefined);
  const output = trace && trace.output !== "0x" ? trace.output : await replay(node, transaction);
  const said = revertReason(output);
  if (said !== undefined) return said;
  return output === "0x" ? null : output;
}
