import { useMoralis } from "@purse/react";
import { Button, LazyDialog, Notice, shortAddress, useTranslation } from "@purse/ui";
import { lazy, useState } from "react";
import { stringField } from "../components/stringField.ts";
import { isOtherAccount } from "../wallet/otherAccount.ts";
import "./AccountMenu.css";

const SwitchUser = lazy(() =>
  import("../pages/signIn/SwitchUser.tsx").then((module) => ({ default: module.SwitchUser })),
);

/** The user and the account that the user has chosen to keep side by side, in this tab. */
const KEPT_KEY = "purse/kept-account";

/**
 * Says that the wallet uses an account of which the signed-in user is not the owner, and offers to sign in with it. It must stay
 * mounted while it does: the wallet is connected again, without an account in between.
 */
export function OtherAccount() {
  const { t } = useTranslation();
  const { user, account } = useMoralis();
  const [kept, setKept] = useState(() => sessionStorage.getItem(KEPT_KEY));
  /** The user who was signed in when the dialog was opened: it closes once another one is. */
  const [leaving, setLeaving] = useState<string>();
  const pair = `${user?.id} ${account}`;
  if (!user) return null;
  const name =
    stringField(user.get("displayName")).trim().slice(0, 40) ||
    shortAddress(stringField(user.get("ethAddress")));
  const isSaid = account !== null && isOtherAccount(user, account) && kept !== pair;
  return (
    <>
      {isSaid && (
        <div role="status" className="other-account">
          <Notice
            kind="warning"
            title={t("Your wallet uses another account")}
            action={
              <div className="row">
                <Button small variant="primary" onClick={() => setLeaving(user.id)}>
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
                  address: shortAddress(account),
                },
              )}
            </p>
          </Notice>
        </div>
      )}
      {leaving !== undefined && leaving === user.id && (
        <LazyDialog onClose={() => setLeaving(undefined)}>
          <SwitchUser name={name} onClose={() => setLeaving(undefined)} />
        </LazyDialog>
      )}
    </>
  );
}
