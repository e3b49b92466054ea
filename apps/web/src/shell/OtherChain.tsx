import { useTranslation } from "@purse/ui";
import { chainNameOf } from "../wallet/chains.ts";

/** The chain of a wallet that this server does not index. */
export function OtherChain({ hexId }: { hexId: string }) {
  const { t } = useTranslation();
  return (
    <span className="pill warn">
      {chainNameOf(hexId)} · {t("not served here")}
    </span>
  );
}
