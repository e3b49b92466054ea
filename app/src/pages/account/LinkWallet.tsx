import { useMoralis } from "@purse/react";
import { useRef, useState } from "react";
import { Address } from "../../design/Address.tsx";
import { Button } from "../../design/Button.tsx";
import { Dialog } from "../../design/Dialog.tsx";
import { Stepper } from "../../design/Stepper.tsx";
import { ErrorState } from "../../design/states.tsx";
import { useToast } from "../../design/Toasts.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { type Choice, WalletChoices } from "../signIn/WalletChoices.tsx";

/** Connects a wallet and has it sign that it belongs to who is signed in. */
export function LinkWallet({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const { Moralis, enableWeb3, refetchUserData } = useMoralis();
  const toast = useToast();
  const [choice, setChoice] = useState<Choice>();
  const [account, setAccount] = useState<string>();
  const [error, setError] = useState<unknown>();
  const cancel = useRef<AbortController>(undefined);

  async function connect(chosen: Choice) {
    const controller = new AbortController();
    cancel.current = controller;
    setChoice(chosen);
    setError(undefined);
    await enableWeb3({
      ...chosen.options,
      signal: controller.signal,
      onSuccess: () => {
        const connected = Moralis.account;
        if (connected) void link(connected);
      },
      onError: (problem) => !controller.signal.aborted && setError(problem),
    });
  }

  async function link(address: string) {
    setAccount(address);
    setError(undefined);
    try {
      await Moralis.link(address, { siwe: true });
      await refetchUserData();
      toast(t("Wallet linked"));
      onClose();
    } catch (problem) {
      setError(problem);
    }
  }

  function close() {
    cancel.current?.abort();
    onClose();
  }

  function retry() {
    if (account) void link(account);
    else if (choice) void connect(choice);
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
        ) : choice ? (
          <p role="status">{t("Waiting for {wallet}. Look for its window.", { wallet: choice.name })}</p>
        ) : (
          <WalletChoices onChoose={(chosen) => void connect(chosen)} />
        )}
        {choice && (
          <Button
            look="quiet"
            onClick={() => {
              cancel.current?.abort();
              setChoice(undefined);
              setAccount(undefined);
              setError(undefined);
            }}
          >
            {t("Choose another wallet")}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
