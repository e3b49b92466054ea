import { useEffect, useState } from "react";
import { Button } from "../../design/Button.tsx";
import { Notice, Status } from "../../design/Status.tsx";
import { EmptyState } from "../../design/states.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import { BlockLink } from "./components.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { lastViewed } from "./recentlyViewed.ts";
import { useRpcClient } from "./rpcClient.ts";

/** No block has this transaction: it waits, a reorganisation has taken it away, or it is of another chain. */
export function MissingTransaction({ hash, refetch }: { hash: string; refetch: () => void }) {
  const { t } = useTranslation();
  const { chain, head } = useExplorer();
  const node = useRpcClient();
  const [isPending, setIsPending] = useState(false);
  const viewed = lastViewed(chain.hexId, hash);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again with each block.
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
      {t("Look again")}
    </Button>
  );
  if (viewed) {
    return (
      <Notice kind="warning" title={t("This transaction is orphaned")} action={checkAgain}>
        {t("A reorganisation took away the block in which it was:")}{" "}
        <BlockLink block={viewed.blockHash}>{viewed.block}</BlockLink>.{" "}
        {isPending
          ? t("It waits to come into another one.")
          : t("It may come into another one; this page looks with each block.")}
      </Notice>
    );
  }
  if (isPending) {
    return (
      <Notice kind="info" title={<Status kind="busy">{t("Waiting for a block")}</Status>} action={checkAgain}>
        {t("The node knows it, no block has it yet. This page looks with each block.")}
      </Notice>
    );
  }
  return (
    <EmptyState title={t("Not in the chain")} action={checkAgain}>
      {t(
        "No block has a transaction with this hash. It may wait, be orphaned, have been replaced, or belong to another chain. This page looks with each block.",
      )}
    </EmptyState>
  );
}
