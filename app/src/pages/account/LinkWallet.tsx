import { useMoralis } from "@purse/react";
import { useState } from "react";
import { Address } from "../../design/Address.tsx";
import { Button } from "../../design/Button.tsx";
import { Dialog } from "../../design/Dialog.tsx";
import { Stepper } from "../../design/Stepper.tsx";
import { ErrorState } from "../../design/states.tsx";
import { useToast } from "../../design/Toasts.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { ChooseWallet } from "../signIn/ChooseWallet.tsx";
import { useConnecting } from "../signIn/useConnecting.ts";

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
        {account === undefined ? (
          <ChooseWallet connecting={connecting} />
        ) : (
          <>
            {refusal !== undefined ? (
              <ErrorState error={refusal} retry={() => void link(account)} />
            ) : (
              <p role="status">
                {t("Waiting for {wallet}. Look for its window.", { wallet: choice?.name ?? t("the wallet") })}
              </p>
            )}
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
          </>
        )}
      </div>
    </Dialog>
  );
}
