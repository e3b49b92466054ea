import { methodOf } from "@purse/protocol";
import { useTranslation } from "@purse/ui";

/** The method that a transaction calls. */
export function MethodChip({ input, isCreation }: { input: string; isCreation: boolean }) {
  const { t } = useTranslation();
  const method = methodOf(input);
  const label = isCreation ? t("Contract creation") : (method ?? t("Transfer"));
  return (
    <span className="chip method" title={method === undefined ? undefined : input.slice(0, 10)}>
      {label}
    </span>
  );
}
