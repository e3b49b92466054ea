import { useMoralis } from "@purse/react";
import { Button, Dialog, Notice, shortAddress, useTranslation } from "@purse/ui";
import { useState } from "react";
import { stringField } from "../components/stringField.ts";
import { WalletSignIn } from "../pages/signIn/WalletSignIn.tsx";
import "../pages/signIn/SignIn.css";

/** The user and the account that the user has chosen to keep side by side, in this tab. */
const KEPT_KEY = "purse/kept-account";

/** Says that the wallet uses an account of which the signed-in user is not the owner, and offers to sign in with it. */
export function OtherAccount() {
  const { t } = useTranslation();
  const { user, account } = useMoralis();
  const [kept, setKept] = useState(() => sessionStorage.getItem(KEPT_KEY));
  const [isSigningIn, setSigningIn] = useState(false);
  const pair = `${user?.id} ${account}`;
  if (!user || account === null || kept === pair) return null;
  const name =
    stringField(user.get("displayName")).trim().slice(0, 40) ||
    shortAddress(stringField(user.get("ethAddress")));
  const address = shortAddress(account);
  return (
    <div role="status" className="stack">
      <Notice
        kind="warning"
        title={t("Your wallet uses another account")}
        action={
          <div className="row">
            <Button small variant="primary" onClick={() => setSigningIn(true)}>
              {t("Sign in with this account")}
            </Button>
            <Button
              small
              onClick={() => {
                sessionStorage.setItem(KEPT_KEY, pair);
                setKept(pair);
              }}
            >
              {t("Keep")}
            </Button>
          </div>
        }
      >
        <p>
          {t(
            "You are signed in as {name}: files, data and account are theirs. The wallet sends from {address}.",
            {
              name,
              address,
            },
          )}
        </p>
      </Notice>
      {isSigningIn && (
        <Dialog
          open
          onClose={() => setSigningIn(false)}
          title={t("Sign in with this account")}
          description={t("You stay signed in as {name} until the wallet has signed.", { name })}
        >
          <WalletSignIn keepSession />
        </Dialog>
      )}
    </div>
  );
}
