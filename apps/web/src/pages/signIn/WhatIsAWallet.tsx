import { useTranslation } from "@purse/ui";
import { KeyRound, ShieldCheck } from "lucide-react";

/** Explains wallets to new users. */
export function WhatIsAWallet({ isOpen = false }: { isOpen?: boolean }) {
  const { t } = useTranslation();
  return (
    <details className="what-wallet" open={isOpen}>
      <summary>{t("What is a wallet?")}</summary>
      <ul className="list">
        <li>
          <KeyRound size={22} aria-hidden="true" />
          <p>
            <strong>{t("A home for your keys")}</strong>
            <br />
            <span className="soft">
              {t("An app or extension that holds the keys to your on-chain assets. No server has a copy.")}
            </span>
          </p>
        </li>
        <li>
          <ShieldCheck size={22} aria-hidden="true" />
          <p>
            <strong>{t("A new way to sign in")}</strong>
            <br />
            <span className="soft">
              {t("Sign a message instead of typing a password. It's free and sends no transaction.")}
            </span>
          </p>
        </li>
      </ul>
      <p className="soft small">
        <a href="https://ethereum.org/wallets/find-wallet/" target="_blank" rel="noreferrer">
          {t("Find a wallet")}
        </a>
        {" · "}
        {t("or sign up with a password")}
      </p>
    </details>
  );
}
