import { useMoralis } from "@purse/react";
import { useState } from "react";
import { Button } from "../../design/Button.tsx";
import { Dialog } from "../../design/Dialog.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { type Way, WaysIn } from "./WaysIn.tsx";

/** Over the page that is open, which stays as it is: signing in again goes on with what was typed. */
export function SessionEnded() {
  const { t } = useTexts();
  const { user, logout } = useMoralis();
  const username: unknown = user?.get("username");
  const hasWallet = typeof user?.get("ethAddress") === "string";
  const [way, setWay] = useState<Way>(hasWallet ? "wallet" : "password");
  return (
    <Dialog
      open
      onClose={() => void logout()}
      title={t("Your session has ended")}
      about={t("Sign in again to go on. What you typed on this page is still there.")}
      actions={<Button onClick={() => void logout()}>{t("Sign out")}</Button>}
    >
      <WaysIn value={way} onChange={setWay} {...(typeof username === "string" && { only: username })} />
    </Dialog>
  );
}
