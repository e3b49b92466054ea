import { Button } from "../../design/Button.tsx";
import { CopyButton } from "../../design/CopyButton.tsx";
import { QrCode } from "../../design/QrCode.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import type { Choice } from "./choice.ts";

export interface WaitingForWalletProps {
  choice: Choice;
  /** What another device scans or opens; undefined while there is none yet. */
  link: string | undefined;
  onAgain: () => void;
}

/** Wallet apps that open such a link under an address of their own; `wc:` leaves the choice to the telephone. */
const APPS = [
  { name: "MetaMask", address: "https://metamask.app.link/wc?uri=" },
  { name: "Rainbow", address: "https://rnbwapp.com/wc?uri=" },
  { name: "Trust", address: "https://link.trustwallet.com/wc?uri=" },
];

/** While the wallet has the word. */
export function WaitingForWallet({ choice, link, onAgain }: WaitingForWalletProps) {
  const { t } = useTexts();
  const { icon: Sign } = choice;
  return (
    <div className="wallet-waiting">
      {link === undefined &&
        (typeof Sign === "string" ? (
          <img src={Sign} alt="" width="64" height="64" referrerPolicy="no-referrer" />
        ) : (
          Sign && <Sign size={44} strokeWidth={1.6} aria-hidden="true" />
        ))}
      <p role="status">
        <strong>{t("Waiting for {wallet}", { wallet: choice.name })}</strong>
        <br />
        <span className="soft">{t(link === undefined ? choice.hint : LINK_HINT)}</span>
      </p>
      {link !== undefined && (
        <>
          <QrCode text={link} label={t("QR code for the wallet")} />
          <div className="wallet-links">
            <a className="button primary" href={link}>
              {t("Open a wallet app")}
            </a>
            <span className="wallet-apps">
              {APPS.map(({ name, address }) => (
                <a
                  key={name}
                  className="button small"
                  href={address + encodeURIComponent(link)}
                  target="_blank"
                  rel="noreferrer"
                >
                  {name}
                </a>
              ))}
            </span>
          </div>
          <CopyButton text={link} label={t("link for the wallet")} />
        </>
      )}
      <Button small look="quiet" onClick={onAgain}>
        {t("Ask again")}
      </Button>
    </div>
  );
}

const LINK_HINT = "Scan the code with the wallet on your telephone, or open the wallet on this device.";
