import { useRef } from "react";
import { Button } from "../../design/Button.tsx";
import { ErrorState } from "../../design/states.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import type { Connecting } from "./useConnecting.ts";
import { useKeptFocus } from "./useKeptFocus.ts";
import { WaitingForWallet } from "./WaitingForWallet.tsx";
import { WalletChoices } from "./WalletChoices.tsx";

/** The wallets to choose from, then the one that is waited for, or why it cannot be connected. */
export function ChooseWallet({ connecting }: { connecting: Connecting }) {
  const { t } = useTexts();
  const { choice, isWaiting, link, error, connect, cancel } = connecting;
  const frame = useRef<HTMLDivElement>(null);
  useKeptFocus(frame, `${choice?.id} ${isWaiting} ${error !== undefined}`);
  if (!choice) return <WalletChoices onChoose={(chosen) => void connect(chosen)} />;
  return (
    <div className="stack" ref={frame}>
      {error !== undefined ? (
        <ErrorState error={error} retry={() => void connect(choice)} />
      ) : isWaiting ? (
        <WaitingForWallet choice={choice} link={link} onAgain={() => void connect(choice)} />
      ) : null}
      <Button look="quiet" onClick={cancel}>
        {t("Choose another wallet")}
      </Button>
    </div>
  );
}
