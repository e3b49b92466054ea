import { Status, useTranslation } from "@purse/ui";
import { useExplorer } from "./ExplorerContext.ts";

/** The finality of a block by the rules of its chain. */
export function Finality({ block }: { block: number }) {
  const { t } = useTranslation();
  const { head, safe, final } = useExplorer();
  if (head === undefined || head < block) return null;
  const confirmations = t("{n, plural, one {# confirmation} other {# confirmations}}", {
    n: head - block + 1,
  });
  return (
    <>
      {final !== undefined && block <= final ? (
        <Status kind="ok">{t("Finalized")}</Status>
      ) : safe !== undefined && block <= safe ? (
        <Status kind="info">{t("Safe")}</Status>
      ) : (
        <Status kind="idle">{block === head ? t("Latest") : t("Not finalized")}</Status>
      )}
      <span className="soft number">{confirmations}</span>
    </>
  );
}
