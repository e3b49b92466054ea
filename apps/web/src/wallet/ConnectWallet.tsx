import { Button, LazyDialog, useTranslation } from "@purse/ui";
import { createContext, lazy, type ReactNode, useCallback, useContext, useState } from "react";

const ConnectDialog = lazy(() =>
  import("./ConnectDialog.tsx").then((module) => ({ default: module.ConnectDialog })),
);

const ConnectWalletContext = createContext<() => void>(() => {
  throw new Error("useConnectWallet must be used inside ConnectWalletProvider");
});

/** Returns a function that opens the connect dialog over the current page, without signing in. */
export function useConnectWallet(): () => void {
  return useContext(ConnectWalletContext);
}

export function ConnectWalletProvider({ children }: { children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  const open = useCallback(() => setIsOpen(true), []);
  return (
    <ConnectWalletContext value={open}>
      {children}
      {isOpen && (
        <LazyDialog onClose={() => setIsOpen(false)}>
          <ConnectDialog onClose={() => setIsOpen(false)} />
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
