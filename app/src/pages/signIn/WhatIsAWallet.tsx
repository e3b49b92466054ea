import { KeyRound, ShieldCheck } from "lucide-react";
import { useTranslation } from "../../i18n/TranslationContext.tsx";

/** For those who meet the word for the first time. */
export function WhatIsAWallet() {
  const { t } = useTranslation();
  return (
    <details className="what-wallet">
      <summary>{t("What is a wallet?")}</summary>
      <ul className="list">
        <li>
          <KeyRound size={22} aria-hidden="true" />
          <p>
            <strong>{t("It keeps your keys")}</strong>
            <br />
            <span className="soft">
              {t("An app or extension that holds what you own on a chain. No server has a copy.")}
            </span>
          </p>
        </li>
        <li>
          <ShieldCheck size={22} aria-hidden="true" />
          <p>
            <strong>{t("It signs you in")}</strong>
            <br />
            <span className="soft">
              {t("You sign a message instead of typing a password. That costs nothing and sends nothing.")}
            </span>
          </p>
        </li>
      </ul>
      <p className="soft small">
        <a href="https://ethereum.org/wallets/find-wallet/" target="_blank" rel="noreferrer">
          {t("Find one that suits you")}
        </a>
        {" · "}
        {t("or sign up with a password.")}
      </p>
    </details>
  );
}
