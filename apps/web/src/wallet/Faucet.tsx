import { Button, useAction, useToast, useTranslation } from "@purse/ui";
import { useSettings } from "../SettingsContext.tsx";
import { defaultChain } from "../settings.ts";

/** A button that gives test coins on the local chain; nothing on other chains. */
export function Faucet({ address, onReceived }: { address: string; onReceived: () => void }) {
  const { t } = useTranslation();
  const settings = useSettings();
  const toast = useToast();
  const chain = defaultChain(settings);
  const coins = t("{n, number} {symbol}", { n: FAUCET_COINS, symbol: chain?.nativeCurrency.symbol ?? "" });
  const { run, busy } = useAction(
    async () => {
      if (!chain) return;
      const { sendTestCoins } = await import("./faucet.ts");
      await sendTestCoins(settings, chain, address, FAUCET_COINS);
      toast(t("{coins} received", { coins }));
      onReceived();
    },
    { errorsAs: "toast" },
  );
  if (!settings.development || !chain?.rpcUrl || settings.devWallets.length === 0) return null;
  return (
    <Button busy={busy} onClick={run}>
      {t("Get {coins} for testing", { coins })}
    </Button>
  );
}

/** What one click gives, in whole coins. */
const FAUCET_COINS = 10;
