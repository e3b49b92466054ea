import { useMoralis } from "@purse/react";
import { useState } from "react";
import { Address } from "../../design/Address.tsx";
import { Button } from "../../design/Button.tsx";
import { Dialog } from "../../design/Dialog.tsx";
import { Stepper } from "../../design/Stepper.tsx";
import { ErrorState } from "../../design/states.tsx";
import { useToast } from "../../design/Toasts.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { useConnecting } from "../signIn/useConnecting.ts";
import { WaitingForWallet } from "../signIn/WaitingForWallet.tsx";
import { WalletChoices } from "../signIn/WalletChoices.tsx";

/** Connects a wallet and has it sign that it belongs to who is signed in. */
export function LinkWallet({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const { Moralis, refetchUserData } = useMoralis();
  const toast = useToast();
  const [account, setAccount] = useState<string>();
  const [refusal, setRefusal] = useState<unknown>();
  const connecting = useConnecting(() => {
    const connected = Moralis.account;
    if (connected) void link(connected);
  });
  const { choice } = connecting;
  const error = connecting.error ?? refusal;

  async function link(address: string) {
    setAccount(address);
    setRefusal(undefined);
    try {
      await Moralis.link(address, { siwe: true });
      await refetchUserData();
      toast(t("Wallet linked"));
      onClose();
    } catch (problem) {
      setRefusal(problem);
    }
  }

  function close() {
    connecting.cancel();
    onClose();
  }

  function retry() {
    if (account) void link(account);
    else if (choice) void connecting.connect(choice);
  }

  const failed = error !== undefined;
  return (
    <Dialog open onClose={close} title={t("Link a wallet")}>
      <div className="stack">
        <Stepper
          steps={[
            { label: t("Connect a wallet"), state: account ? "done" : failed ? "failed" : "now" },
            { label: t("Sign that it is yours"), state: !account ? "todo" : failed ? "failed" : "now" },
          ]}
        />
        {account && <Address address={account} />}
        {failed ? (
          <ErrorState error={error} retry={retry} />
        ) : choice && connecting.isWaiting ? (
          <WaitingForWallet
            choice={choice}
            link={connecting.link}
            onAgain={() => void connecting.connect(choice)}
          />
        ) : choice ? (
          <p role="status">{t("Waiting for {wallet}. Look for its window.", { wallet: choice.name })}</p>
        ) : (
          <WalletChoices onChoose={(chosen) => void connecting.connect(chosen)} />
        )}
        {choice && (
          <Button
            look="quiet"
            onClick={() => {
              connecting.cancel();
              setAccount(undefined);
              setRefusal(undefined);
            }}
          >
            {t("Choose another wallet")}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
