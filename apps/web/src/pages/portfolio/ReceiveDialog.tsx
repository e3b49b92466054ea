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
import { type AppChain, chainName } from "../../settings.ts";
import { checksumOf } from "../../wallet/checksum.ts";

export interface ReceiveDialogProps {
  address: string;
  chains: readonly AppChain[];
  onClose: () => void;
}

/** Shows the address to receive at, as text and as a QR code. */
export function ReceiveDialog({ address, chains, onClose }: ReceiveDialogProps) {
  const { t } = useTranslation();
  const checksummed = checksumOf(address);
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Receive")}
      description={t("Send coins, tokens and NFTs to this address.")}
      actions={<Button onClick={onClose}>{t("Close")}</Button>}
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
  );
}
