import { useMoralis } from "@purse/react";
import { Button, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useSettings } from "../SettingsContext.tsx";
import { ConnectWalletButton, useCreateWallet } from "./ConnectWallet.tsx";
import "./NoWallet.css";

export interface NoWalletProps {
  title: string;
  /** What a wallet is needed for, as a sentence. */
  purpose: string;
  /** What else can be looked at. */
  children?: ReactNode;
}

/** What to do next on a page that needs a wallet, for somebody who has none or has not connected it. */
export function NoWallet({ title, purpose, children }: NoWalletProps) {
  const { t } = useTranslation();
  const { user } = useMoralis();
  const { development, devWallets } = useSettings();
  const create = useCreateWallet();
  const example = devWallets[1]?.address;
  return (
    <section className="card stack" aria-labelledby="no-wallet">
      <div>
        <h2 id="no-wallet">{title}</h2>
        <p className="soft">{purpose}</p>
      </div>
      <ol className="next-steps">
        <li>
          <h3>{t("Connect your wallet, or create one")}</h3>
          <p className="soft">{t("It holds your coins and tokens. This page only gets its address.")}</p>
          <div className="row">
            <ConnectWalletButton />
            <Button onClick={create}>{t("Create a wallet")}</Button>
          </div>
        </li>
        <li>
          <h3>{t("Receive")}</h3>
          <p className="soft">
            {development
              ? t("Share its address or its QR code, or get free coins of the local chain in your portfolio.")
              : t("Share its address or its QR code, which you find in your portfolio.")}
          </p>
        </li>
        <li>
          <h3>{t("Or look around first")}</h3>
          <p className="soft">{t("All of this works without a wallet.")}</p>
          <div className="row">
            {example !== undefined && (
              <Link to="/portfolio" search={{ address: example }} className="button">
                {t("See an example portfolio")}
              </Link>
            )}
            <Link to="/explorer" search={{}} className="button">
              {t("Explorer")}
            </Link>
            <Link to="/data" search={{}} className="button">
              {t("Data")}
            </Link>
            {user && (
              <Link to="/files" search={{}} className="button">
                {t("Files")}
              </Link>
            )}
          </div>
          {children}
        </li>
      </ol>
    </section>
  );
}
