import { useEffect, useState } from "react";
import { Button } from "../../design/Button.tsx";
import { Notice, Status } from "../../design/Status.tsx";
import { EmptyState } from "../../design/states.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { useNode } from "./node.ts";
import { BlockLink } from "./parts.tsx";
import { lastSeen } from "./seen.ts";

/** No block has this transaction: it waits, a reorganisation has taken it away, or it is of another chain. */
export function MissingTransaction({ hash, again }: { hash: string; again: () => void }) {
  const { t } = useTexts();
  const { chain, head } = useExplorer();
  const node = useNode();
  const [isPending, setIsPending] = useState(false);
  const seen = lastSeen(chain.hexId, hash);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again with each block.
  useEffect(() => {
    let isOver = false;
    node?.ask("eth_getTransactionByHash", [hash]).then(
      (found) => !isOver && setIsPending(typeof found === "object" && found !== null),
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [node, hash, head]);
  const look = (
    <Button small onClick={again}>
      {t("Look again")}
    </Button>
  );
  if (seen) {
    return (
      <Notice kind="warning" title={t("This transaction is orphaned")} action={look}>
        {t("A reorganisation took away the block in which it was:")}{" "}
        <BlockLink block={seen.blockHash}>{seen.block}</BlockLink>.{" "}
        {isPending
          ? t("It waits to come into another one.")
          : t("It may come into another one; this page looks with each block.")}
      </Notice>
    );
  }
  if (isPending) {
    return (
      <Notice kind="info" title={<Status kind="busy">{t("Waiting for a block")}</Status>} action={look}>
        {t("The node knows it, no block has it yet. This page looks with each block.")}
      </Notice>
    );
  }
  return (
    <EmptyState title={t("Not in the chain")} action={look}>
      {t(
        "No block has a transaction with this hash. It may wait, be orphaned, have been replaced, or belong to another chain. This page looks with each block.",
      )}
    </EmptyState>
  );
}
