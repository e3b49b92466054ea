import { Button, LazyDialog, useTranslation } from "@purse/ui";
import { lazy, useState } from "react";
import type { AppChain } from "../../settings.ts";

const ReceiveDialog = lazy(() =>
  import("./ReceiveDialog.tsx").then((module) => ({ default: module.ReceiveDialog })),
);

/** A button that shows the address to receive at. */
export function Receive({ address, chains }: { address: string; chains: readonly AppChain[] }) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{t("Receive")}</Button>
      {isOpen && (
        <LazyDialog onClose={() => setIsOpen(false)}>
          <ReceiveDialog address={address} chains={chains} onClose={() => setIsOpen(false)} />
        </LazyDialog>
      )}
    </>
  );
}
