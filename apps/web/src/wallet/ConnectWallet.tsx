import { Button, LazyDialog, useTranslation } from "@purse/ui";
import { createContext, lazy, type ReactNode, useCallback, useContext, useState } from "react";

const ConnectDialog = lazy(() =>
  import("./ConnectDialog.tsx").then((module) => ({ default: module.ConnectDialog })),
);

/** Opens the dialog; `isNew` for somebody who has no wallet yet. */
type OpenDialog = (isNew: boolean) => void;

const ConnectWalletContext = createContext<OpenDialog>(() => {
  throw new Error("useConnectWallet must be used inside ConnectWalletProvider");
});

/** Returns a function that opens the connect dialog over the current page, without signing in. */
export function useConnectWallet(): () => void {
  const open = useContext(ConnectWalletContext);
  return () => open(false);
}

/** Returns a function that opens the dialog where it helps to get a wallet. */
export function useCreateWallet(): () => void {
  const open = useContext(ConnectWalletContext);
  return () => open(true);
}

export function ConnectWalletProvider({ children }: { children: ReactNode }) {
  const [dialog, setDialog] = useState<{ isNew: boolean }>();
  const open = useCallback<OpenDialog>((isNew) => setDialog({ isNew }), []);
  const close = () => setDialog(undefined);
  return (
    <ConnectWalletContext value={open}>
      {children}
      {dialog && (
        <LazyDialog onClose={close}>
          <ConnectDialog isNew={dialog.isNew} onClose={close} />
        </LazyDialog>
      )}
    </ConnectWalletContext>
  );
}

/** The button that connects a wallet, for pages that need one. */
export function ConnectWalletButton({ small }: { small?: boolean }) {
  const { t } = useTranslation();
  const connect = useConnectWallet();
  return (
    <Button variant={small ? undefined : "primary"} small={small ?? false} onClick={connect}>
      {t("Connect a wallet")}
    </Button>
  );
}
