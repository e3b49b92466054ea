import type { BlockTransaction } from "@purse/client";
import { Button, Notice, useTranslation } from "@purse/ui";
import { ConnectWalletButton } from "../../wallet/ConnectWallet.tsx";
import { revertReason } from "./abi/decode.ts";
import { readOutput, replay } from "./replayTransaction.ts";
import { type RpcClient, useRpcClient } from "./rpcClient.ts";
import { useNodeQuery } from "./useNodeQuery.ts";

/** The revert reason of a transaction, from its trace or by replaying it. */
export function RevertReason({ transaction }: { transaction: BlockTransaction }) {
  const { t } = useTranslation();
  const node = useRpcClient();
  const revertQuery = useNodeQuery(node, ["revert", transaction.hash], (client) =>
    readRevertReason(client, transaction),
  );
  const isOutOfGas = transaction.receipt_gas_used === transaction.gas;
  const reason = revertQuery?.data ?? undefined;
  return (
    <Notice kind="danger" title={t("Reverted: all changes were undone, only the fee was paid")}>
      {reason ? (
        <p>
          {t("Reason:")} <bdi className="reason">{reason.slice(0, 400)}</bdi>
        </p>
      ) : isOutOfGas ? (
        <p>{t("Out of gas: the transaction used its entire gas limit.")}</p>
      ) : revertQuery === undefined ? (
        <div className="row">
          <p>{t("Connect a wallet on this chain to load the revert reason.")}</p>
          <ConnectWalletButton small />
        </div>
      ) : revertQuery.error !== null ? (
        <div className="row">
          <p>{t("The revert reason could not be loaded.")}</p>
          <Button small busy={revertQuery.isFetching} onClick={() => void revertQuery.refetch()}>
            {t("Try again")}
          </Button>
        </div>
      ) : revertQuery.data === undefined ? (
        <p>{t("Loading revert reason…")}</p>
      ) : (
        <p>{t("No reason given.")}</p>
      )}
    </Notice>
  );
}

/** Returns null if there is no reason. Rejects if the node does not respond. */
async function readRevertReason(node: RpcClient, transaction: BlockTransaction): Promise<string | null> {
  const traced = await readOutput(node, transaction.hash).catch(() => "0x");
  const output = traced === "0x" ? await replay(node, transaction) : traced;
  const reason = revertReason(output);
  if (reason !== undefined) return reason;
  return output === "0x" ? null : output;
}
