import { Button, EmptyState, formatNumber, Notice, Status, useTranslation } from "@purse/ui";
import { useEffect, useState } from "react";
import { BlockLink } from "./EntityLinks.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { lastViewed } from "./recentlyViewed.ts";
import { useRpcClient } from "./rpcClient.ts";

/** Shown if no block has the transaction: it is pending, orphaned, or on another chain. */
export function MissingTransaction({ hash, refetch }: { hash: string; refetch: () => void }) {
  const { t, language } = useTranslation();
  const { chain, head } = useExplorer();
  const node = useRpcClient();
  const [isPending, setIsPending] = useState(false);
  const viewed = lastViewed(chain.hexId, hash);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again with each block.
  useEffect(() => {
    let isOver = false;
    node?.request("eth_getTransactionByHash", [hash]).then(
      (found) => !isOver && setIsPending(typeof found === "object" && found !== null),
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [node, hash, head]);
  const checkAgain = (
    <Button small onClick={refetch}>
      {t("Check again")}
    </Button>
  );
  if (viewed) {
    return (
      <Notice kind="warning" title={t("This transaction is orphaned")} action={checkAgain}>
        {t("A chain reorganization removed its block:")}{" "}
        <BlockLink block={viewed.blockHash}>{formatNumber(Number(viewed.block), language)}</BlockLink>.{" "}
        {isPending
          ? t("It is pending again.")
          : t("It may be included in another block. This page checks every new block.")}
      </Notice>
    );
  }
  if (isPending) {
    return (
      <Notice kind="info" title={<Status kind="busy">{t("Pending")}</Status>} action={checkAgain}>
        {t("In the mempool, waiting to be included. This page checks every new block.")}
      </Notice>
    );
  }
  return (
    <EmptyState title={t("Transaction not found")} action={checkAgain}>
      {t("It may be pending, dropped, replaced, or on another chain. This page checks every new block.")}
    </EmptyState>
  );
}
