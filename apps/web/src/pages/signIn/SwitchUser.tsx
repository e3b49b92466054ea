import { Dialog, useTranslation } from "@purse/ui";
import { WalletSignIn } from "./WalletSignIn.tsx";
import "./SignIn.css";

export interface SwitchUserProps {
  /** Who is signed in. */
  name: string;
  onClose: () => void;
}

/** Signs in with the connected wallet in place of the user who is signed in. */
export function SwitchUser({ name, onClose }: SwitchUserProps) {
  const { t } = useTranslation();
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Sign in with this account")}
      description={t("You stay signed in as {name} until the wallet has signed.", { name })}
    >
      <WalletSignIn keepSession />
    </Dialog>
  );
}
