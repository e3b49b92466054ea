import { Button, CopyButton, QrCode, useTranslation } from "@purse/ui";
import { WALLET_APPS } from "./walletApps.ts";
import type { WalletOption } from "./walletOption.ts";

export interface WaitingForWalletProps {
  choice: WalletOption;
  /** The pairing link; undefined until it is available. */
  link: string | undefined;
  onRetry: () => void;
}

/** Shown while waiting for the wallet. */
export function WaitingForWallet({ choice, link, onRetry }: WaitingForWalletProps) {
  const { t } = useTranslation();
  const { icon: Icon } = choice;
  return (
    <div className="wallet-waiting">
      {link === undefined &&
        (typeof Icon === "string" ? (
          <img src={Icon} alt="" width="64" height="64" referrerPolicy="no-referrer" />
        ) : (
          Icon && <Icon size={44} strokeWidth={1.6} aria-hidden="true" />
        ))}
      <p role="status">
        <strong>{t("Waiting for {wallet}", { wallet: choice.name })}</strong>
        <br />
        <span className="soft">{t(link === undefined ? choice.hint : LINK_HINT)}</span>
      </p>
      {link !== undefined && (
        <>
          <QrCode text={link} label={t("Wallet QR code")} />
          <div className="wallet-links">
            <a className="button primary" href={link}>
              {t("Open a wallet app")}
            </a>
            <span className="wallet-apps">
              {WALLET_APPS.map(
                ({ name, pairingPrefix }) =>
                  pairingPrefix && (
                    <a
                      key={name}
                      className="button small"
                      href={pairingPrefix + encodeURIComponent(link)}
                      target="_blank"
                      rel="noreferrer"
                    >
                      <bdi>{name}</bdi>
                    </a>
                  ),
              )}
            </span>
          </div>
          <CopyButton text={link} label={t("wallet link")} />
        </>
      )}
      <Button small variant="quiet" onClick={onRetry}>
        {t("Retry")}
      </Button>
    </div>
  );
}

const LINK_HINT = "Scan the code with your phone's wallet, or open a wallet on this device.";
