import {
  Address,
  Button,
  CopyButton,
  Dialog,
  Notice,
  QrCode,
  qrImage,
  ShareButton,
  useTranslation,
} from "@purse/ui";
import { useState } from "react";
import { type AppChain, chainName } from "../../settings.ts";

import { checksumOf } from "../../wallet/checksum.ts";

/** A button that shows the address to receive at, as text and as a QR code. */
export function Receive({ address, chains }: { address: string; chains: readonly AppChain[] }) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const checksummed = checksumOf(address);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{t("Receive")}</Button>
      {isOpen && (
        <Dialog
          open
          onClose={() => setIsOpen(false)}
          title={t("Receive")}
          description={t("Send coins, tokens and NFTs to this address.")}
          actions={<Button onClick={() => setIsOpen(false)}>{t("Close")}</Button>}
        >
          <div className="stack receive">
            <QrCode text={checksummed} label={t("QR code of your address")} />
            <Address address={checksummed} />
            <div className="row">
              <CopyButton text={checksummed} label={t("address")} />
              <ShareButton
                label={t("address")}
                content={() => ({ text: checksummed, files: [qrImage(checksummed, "address.png")] })}
              />
            </div>
            <Notice kind="info" title={t("Only on these networks")}>
              {chains.map((chain) => chainName(chain, t)).join(", ")}
            </Notice>
          </div>
        </Dialog>
      )}
    </>
  );
}
