import { useMoralis } from "@purse/react";
import { Dialog, explain, useToast, useTranslation } from "@purse/ui";
import { ChooseWallet } from "../pages/signIn/ChooseWallet.tsx";
import { useWalletConnection } from "../pages/signIn/useWalletConnection.ts";
import "../pages/signIn/SignIn.css";

/** Connects a wallet, or helps to get one (`isNew`). A signed-in user stays signed in and can link the wallet afterwards. */
export function ConnectDialog({ isNew, onClose }: { isNew: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { Moralis, user, refetchUserData, setUserData } = useMoralis();
  const toast = useToast();
  const connection = useWalletConnection(() => {
    const account = Moralis.account;
    const linked: unknown = user?.get("accounts");
    const isLinked = Array.isArray(linked) && linked.includes(account);
    if (account === null || user === null || isLinked) toast(t("Wallet connected"));
    else toast(t("Wallet connected"), { label: t("Link to my account"), run: () => void link(account) });
    onClose();
  });

  /** The wallet asks for a signature in its own window. */
  async function link(account: string) {
    try {
      const before: unknown = user?.get("ethAddress");
      await Moralis.link(account, { siwe: true });
      await refetchUserData({ throwOnError: true });
      // The server makes the wallet that was linked last the primary one, as Moralis does.
      if (typeof before !== "string" || before === "" || before === account) {
        toast(t("Wallet linked"));
        return;
      }
      await setUserData({ ethAddress: before }, { throwOnError: true });
      toast(t("Wallet linked"), { label: t("Make primary"), run: () => void makePrimary(account) });
    } catch (error) {
      showError(error);
    }
  }

  async function makePrimary(account: string) {
    const saved = await setUserData({ ethAddress: account }, { onError: showError });
    if (saved) toast(t("Primary wallet updated"));
  }

  function showError(error: unknown) {
    const { title, detail } = explain(error, t);
    toast(`${title}. ${detail}`);
  }

  return (
    <Dialog
      open
      onClose={() => {
        connection.cancel();
        onClose();
      }}
      title={isNew ? t("Create a wallet") : t("Connect a wallet")}
      description={t("Your wallet shares its address with this page. Nothing is signed or sent.")}
    >
      <ChooseWallet connection={connection} isNew={isNew} />
    </Dialog>
  );
}
