import { useMoralis } from "@purse/react";
import { useTranslation } from "@purse/ui";
import { stringField } from "../../components/stringField.ts";
import { NoWallet } from "../../wallet/NoWallet.tsx";
import { isRandomUsername } from "../../wallet/userNames.ts";
import { AddressForm } from "./AddressForm.tsx";

/** The portfolio of somebody without a wallet: the next steps, and the portfolio of any address. */
export function Welcome() {
  const { t } = useTranslation();
  const { user } = useMoralis();
  const username = stringField(user?.get("username"));
  const displayName = stringField(user?.get("displayName")).trim().slice(0, 40);
  const name = displayName || (isRandomUsername(username) ? "" : username.slice(0, 40));
  return (
    <NoWallet
      title={!user ? t("No wallet connected") : name === "" ? t("Welcome") : t("Welcome, {name}", { name })}
      purpose={
        user
          ? t("Your account is ready. With a wallet you see, receive and send coins, tokens and NFTs here.")
          : t("Connect a wallet to view its portfolio, or enter any address.")
      }
    >
      <AddressForm />
    </NoWallet>
  );
}
