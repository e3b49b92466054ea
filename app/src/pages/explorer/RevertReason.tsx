import type { BlockTransaction } from "@purse/client";
import { useCallback } from "react";
import { Notice } from "../../design/Status.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { revertReason } from "./abi/decode.ts";
import { type PageNode, useNode } from "./node.ts";
import { replay, traceTransaction } from "./trace.ts";
import { useNodeAnswer } from "./useNodeAnswer.ts";

/** Why a transaction was reverted: as its trace tells, else by running it again before its block. */
export function RevertReason({ transaction }: { transaction: BlockTransaction }) {
  const { t } = useTexts();
  const node = useNode();
  const told = useNodeAnswer(
    node,
    useCallback((asked: PageNode) => whyReverted(asked, transaction), [transaction]),
  );
  const isOutOfGas = transaction.receipt_gas_used === transaction.gas;
  const reason = told.state === "there" ? told.answer : undefined;
  return (
    <Notice kind="danger" title={t("Reverted: nothing that it did holds, but for its fee")}>
      {reason ? (
        <p>
          {t("The reason:")} <bdi className="reason">{reason.slice(0, 400)}</bdi>
        </p>
      ) : isOutOfGas ? (
        <p>{t("It used all of its gas: probably there was not enough.")}</p>
      ) : told.state === "waiting" ? (
        <p>{t("Asking the node for the reason …")}</p>
      ) : told.state === "none" ? (
        <p>{t("Connect a wallet on this chain to ask its node for the reason.")}</p>
      ) : (
        <p>{t("No reason was given.")}</p>
      )}
    </Notice>
  );
}

async function whyReverted(node: PageNode, transaction: BlockTransaction): Promise<string | undefined> {
  const trace = await traceTransaction(node, transaction.hash).catch(() => undefined);
  const output = trace && trace.output !== "0x" ? trace.output : await replay(node, transaction);
  const said = revertReason(output);
  if (said !== undefined) return said;
  return output === "0x" ? undefined : output;
}
