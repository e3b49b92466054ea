import { useTranslation } from "@purse/ui";
import { WALLET_APPS } from "./walletApps.ts";

/** On phones, links that open this page in the browser of a wallet app. */
export function WalletAppLinks() {
  const { t } = useTranslation();
  const page = new URL(window.location.href);
  return (
    <div className="wallet-links on-phones">
      <p className="soft small">{t("Open this page in a wallet app:")}</p>
      <span className="wallet-apps">
        {WALLET_APPS.map(
          ({ name, pageLink }) =>
            pageLink && (
              <a key={name} className="button small" href={pageLink(page)} rel="noreferrer">
                <bdi>{name}</bdi>
              </a>
            ),
        )}
      </span>
    </div>
  );
}
