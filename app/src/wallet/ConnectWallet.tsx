import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useState } from "react";
import { Button } from "../design/Button.tsx";
import { useTranslation } from "../i18n/TranslationContext.tsx";

const ConnectDialog = lazy(() =>
  import("./ConnectDialog.tsx").then((module) => ({ default: module.ConnectDialog })),
);

const ConnectWalletContext = createContext<() => void>(() => {
  throw new Error("useConnectWallet is for pages inside ConnectWalletProvider");
});

/** Opens the dialog that connects a wallet, over the page that is open: nobody signs in or goes elsewhere for it. */
export function useConnectWallet(): () => void {
  return useContext(ConnectWalletContext);
}

export function ConnectWalletProvider({ children }: { children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  const open = useCallback(() => setIsOpen(true), []);
  return (
    <ConnectWalletContext value={open}>
      {children}
      <Suspense>{isOpen && <ConnectDialog onClose={() => setIsOpen(false)} />}</Suspense>
    </ConnectWalletContext>
  );
}

/** The one way to a wallet where a page needs one. */
export function ConnectWalletButton({ small }: { small?: boolean }) {
  const { t } = useTranslation();
  const connect = useConnectWallet();
  return (
    <Button variant={small ? undefined : "primary"} small={small ?? false} onClick={connect}>
      {t("Connect a wallet")}
    </Button>
  );
}
