import { type BlockTransaction, decodeRevert, type Revert } from "@purse/client";
import { Button, Notice, useTranslation } from "@purse/ui";
import { ConnectWalletButton } from "../../wallet/ConnectWallet.tsx";
import { RevertDetails } from "../../wallet/RevertDetails.tsx";
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
          {t("Reason:")} <RevertDetails revert={reason} />
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
async function readRevertReason(node: RpcClient, transaction: BlockTransaction): Promise<Revert | null> {
  const traced = await readOutput(node, transaction.hash).catch(() => "0x");
  const output = traced === "0x" ? await replay(node, transaction) : traced;
  return /^0x([0-9a-f]{2})+$/i.test(output) ? decodeRevert(`0x${output.slice(2)}`) : null;
}
