import { useMoralis } from "@purse/react";
import { Button, ErrorState, Notice, useAction, useTranslation } from "@purse/ui";
import { type AppChain, chainName } from "../settings.ts";
import { chainNameOf, chainToAdd } from "./chains.ts";

/** Shown if the wallet is on another chain. Its button switches to the chain, adding it if necessary. */
export function NetworkBanner({ chain }: { chain: AppChain }) {
  const { t } = useTranslation();
  const { Moralis, chainId } = useMoralis();
  const { run, busy, error } = useAction(() =>
    Moralis.switchNetwork(chain.hexId, { chain: chainToAdd(chain, t) }),
  );
  if (!chainId || chainId === chain.hexId) return null;
  const name = chainName(chain, t);
  return (
    <>
      <Notice
        kind="warning"
        title={t("Wrong network")}
        action={
          <Button small busy={busy} onClick={run}>
            {t("Switch to {chain}", { chain: name })}
          </Button>
        }
      >
        {t("Your wallet is on {now}. Switch to {chain}.", { now: chainNameOf(chainId), chain: name })}
      </Notice>
      {error !== undefined && <ErrorState error={error} />}
    </>
  );
}
