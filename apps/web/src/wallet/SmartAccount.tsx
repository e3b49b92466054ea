import { accountKind } from "@purse/client";
import { useMoralis } from "@purse/react";
import { Status, useTranslation } from "@purse/ui";
import { useServerQuery } from "../query/useServerQuery.ts";
import type { AppChain } from "../settings.ts";

/** Says that the wallet's account is a smart account; nothing for others, or while that is unknown. */
export function SmartAccount({ account, chain }: { account: string; chain: AppChain }) {
  const { t } = useTranslation();
  const { chainId } = useMoralis();
  const { data } = useServerQuery({
    queryKey: chainId === chain.hexId ? ["kind of account", chain.hexId, account] : undefined,
    queryFn: (options) => accountKind(account, options),
  });
  if (!data || data.kind === "key") return null;
  return (
    <Status kind="info">
      {data.kind === "delegated" ? t("Smart account (EIP-7702)") : t("Smart account (contract)")}
    </Status>
  );
}
