import { useMoralis, useWallets } from "@purse/react";
import { Address, Button, Dialog, ErrorState, Stepper, useToast, useTranslation } from "@purse/ui";
import { useState } from "react";
import { ChooseWallet } from "../signIn/ChooseWallet.tsx";
import { recentWallet, rememberWallet } from "../signIn/recentWallet.ts";
import { useWalletConnection } from "../signIn/useWalletConnection.ts";
import { installedWalletOption } from "../signIn/walletOption.ts";

/** Connects a wallet and links it to the user by a signature. */
export function LinkWallet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { Moralis, refetchUserData, setUserData, user, enableWeb3 } = useMoralis();
  const { wallets } = useWallets();
  const toast = useToast();
  const [account, setAccount] = useState<string>();
  const [linkError, setLinkError] = useState<unknown>();
  const [isLinked, setIsLinked] = useState(false);
  // The primary wallet when the dialog was opened: at a second attempt, the new one may be the primary one.
  const [before] = useState<unknown>(() => user?.get("ethAddress"));
  // The wallet that was connected then, which linking another one must not replace silently.
  const [active] = useState(() => ({ account: Moralis.account, id: recentWallet() }));
  const [activeNow, setActiveNow] = useState<string | null>(null);
  const connection = useWalletConnection(() => {
    const connected = Moralis.account;
    if (connected) void link(connected);
  });
  const { choice } = connection;
  const error = connection.error ?? linkError;

  async function link(address: string) {
    setAccount(address);
    setLinkError(undefined);
    try {
      await Moralis.link(address, { siwe: true });
      await refetchUserData();
      await reconnect(address);
      // The server makes the wallet that was linked last the primary one, as Moralis does: it stays the previous one
      // unless the user wants the new one.
      if (typeof before === "string" && before !== "" && before !== user?.get("ethAddress")) {
        await setUserData({ ethAddress: before }, { throwOnError: true });
        setIsLinked(true);
      } else {
        onClose();
      }
      toast(t("Wallet linked"));
    } catch (problem) {
      setLinkError(problem);
    }
  }

  /** Connects the previous wallet again, if this page can: the accounts of one wallet are switched in the wallet. */
  async function reconnect(linked: string) {
    const previous = wallets.map(installedWalletOption).find(({ id }) => id === active.id);
    if (active.account !== null && active.account !== linked && previous && previous.id !== recentWallet()) {
      await enableWeb3({ ...previous.options, onSuccess: () => rememberWallet(previous.id) });
    }
    setActiveNow(Moralis.account);
  }

  function close() {
    connection.cancel();
    onClose();
  }

  async function makePrimary(address: string) {
    setLinkError(undefined);
    const saved = await setUserData({ ethAddress: address.toLowerCase() }, { onError: setLinkError });
    if (!saved) return;
    toast(t("Primary wallet updated"));
    onClose();
  }

  const failed = error !== undefined;
  if (isLinked && account !== undefined) {
    return (
      <Dialog open onClose={close} title={t("Make it your primary wallet?")}>
        <div className="stack">
          <p>
            {t("The primary wallet's address is shown in the app and used by apps that expect one address.")}
          </p>
          <Address address={account} />
          {active.account !== null && (
            <p className="soft small">
              {activeNow === active.account
                ? t("Your previous wallet stays connected.")
                : t(
                    "The new wallet is connected now: the app sends from it. Switch accounts in your wallet to go back.",
                  )}
            </p>
          )}
          {linkError !== undefined && <ErrorState error={linkError} />}
          <div className="row">
            <Button variant="primary" onClick={() => void makePrimary(account)}>
              {t("Make primary")}
            </Button>
            <Button onClick={close}>{t("Keep the previous one")}</Button>
          </div>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog open onClose={close} title={t("Link a wallet")}>
      <div className="stack">
        <Stepper
          steps={[
            { label: t("Connect a wallet"), state: account ? "done" : failed ? "failed" : "now" },
            { label: t("Prove ownership"), state: !account ? "todo" : failed ? "failed" : "now" },
          ]}
        />
        {account && <Address address={account} />}
        {account === undefined ? (
          <ChooseWallet connection={connection} />
        ) : (
          <>
            {linkError !== undefined ? (
              <ErrorState error={linkError} retry={() => void link(account)} />
            ) : (
              <p role="status">
                {t("Waiting for {wallet}. Check your wallet.", { wallet: choice?.name ?? t("your wallet") })}
              </p>
            )}
            <Button
              variant="quiet"
              onClick={() => {
                connection.cancel();
                setAccount(undefined);
                setLinkError(undefined);
              }}
            >
              {t("Use a different wallet")}
            </Button>
          </>
        )}
      </div>
    </Dialog>
  );
}
