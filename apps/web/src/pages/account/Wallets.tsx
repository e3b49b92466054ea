import type { User } from "@purse/client";
import { useMoralis } from "@purse/react";
import {
  Address,
  Button,
  EmptyState,
  ErrorState,
  MutationDialog,
  Notice,
  useToast,
  useTranslation,
} from "@purse/ui";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { stringField } from "../../components/stringField.ts";
import { LinkWallet } from "./LinkWallet.tsx";

/** The wallets that can sign in to this account. */
export function Wallets({ user }: { user: User }) {
  const { t } = useTranslation();
  const { setUserData } = useMoralis();
  const toast = useToast();
  const [isLinking, setIsLinking] = useState(false);
  const [unlinking, setUnlinking] = useState<string>();
  const [error, setError] = useState<unknown>();
  const accounts: unknown = user.get("accounts");
  const primary = stringField(user.get("ethAddress"));
  const addresses = Array.isArray(accounts) ? accounts.filter((each) => typeof each === "string") : [];
  async function makePrimary(address: string) {
    setError(undefined);
    const saved = await setUserData({ ethAddress: address }, { onError: setError });
    if (saved) toast(t("Primary wallet updated"));
  }
  return (
    <section className="card stack" aria-labelledby="addresses">
      <h2 id="addresses">{t("Linked wallets")}</h2>
      {addresses.length === 0 ? (
        <EmptyState title={t("No wallet linked")}>{t("Link a wallet to sign in with it.")}</EmptyState>
      ) : (
        <ul className="list" aria-label={t("Linked wallets")}>
          {addresses.map((address) => (
            <li key={address} className="linked">
              <Address address={address} copy />
              <span className="row">
                {address === primary ? (
                  <span className="tag">{t("Primary")}</span>
                ) : (
                  <Button small variant="quiet" onClick={() => void makePrimary(address)}>
                    {t("Set as primary")}
                  </Button>
                )}
                <Button small variant="quiet" onClick={() => setUnlinking(address)}>
                  {t("Unlink")}
                </Button>
              </span>
            </li>
          ))}
        </ul>
      )}
      {error !== undefined && <ErrorState error={error} />}
      <div>
        <Button onClick={() => setIsLinking(true)}>
          {addresses.length === 0 ? t("Link a wallet") : t("Link another wallet")}
        </Button>
      </div>
      {isLinking && <LinkWallet onClose={() => setIsLinking(false)} />}
      {unlinking !== undefined && (
        <UnlinkDialog
          address={unlinking}
          isLast={addresses.length === 1}
          onClose={() => setUnlinking(undefined)}
        />
      )}
    </section>
  );
}

interface UnlinkDialogProps {
  address: string;
  isLast: boolean;
  onClose: () => void;
}

/** The server rejects unlinking the last credential, so users are warned first. */
function UnlinkDialog({ address, isLast, onClose }: UnlinkDialogProps) {
  const { t } = useTranslation();
  const { Moralis, refetchUserData } = useMoralis();
  const toast = useToast();
  const unlink = useMutation({
    async mutationFn() {
      await Moralis.unlink(address);
      await refetchUserData();
      toast(t("Wallet unlinked"));
    },
  });
  return (
    <MutationDialog
      onClose={onClose}
      title={t("Unlink this wallet?")}
      description={t("This wallet will no longer sign in to your account. Its assets are not affected.")}
      confirmLabel={t("Unlink")}
      danger
      mutation={unlink}
    >
      <Address address={address} />
      {isLast && (
        <Notice kind="warning" title={t("This is your last wallet")}>
          {t("Set a password first, or you'll lose access to your account.")}
        </Notice>
      )}
    </MutationDialog>
  );
}
