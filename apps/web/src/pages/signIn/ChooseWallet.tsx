import { Button, ErrorState, useTranslation } from "@purse/ui";
import { useRef } from "react";
import { useRestoreFocus } from "./useRestoreFocus.ts";
import type { WalletConnection } from "./useWalletConnection.ts";
import { WaitingForWallet } from "./WaitingForWallet.tsx";
import { WalletList } from "./WalletList.tsx";

export interface ChooseWalletProps {
  connection: WalletConnection;
  /** Whether the user has no wallet yet. */
  isNew?: boolean;
}

/** Lists the wallets, then shows the state of the selected one. */
export function ChooseWallet({ connection, isNew = false }: ChooseWalletProps) {
  const { t } = useTranslation();
  const { choice, isWaiting, link, error, connect, cancel } = connection;
  const frame = useRef<HTMLDivElement>(null);
  useRestoreFocus(frame, `${choice?.id} ${isWaiting} ${error !== undefined}`);
  if (!choice) return <WalletList isNew={isNew} onChoose={(chosen) => void connect(chosen)} />;
  return (
    <div className="stack" ref={frame}>
      {error !== undefined ? (
        <ErrorState error={error} retry={() => void connect(choice)} />
      ) : isWaiting ? (
        <WaitingForWallet choice={choice} link={link} onRetry={() => void connect(choice)} />
      ) : null}
      <Button variant="quiet" onClick={cancel}>
        {t("Use a different wallet")}
      </Button>
    </div>
  );
}
