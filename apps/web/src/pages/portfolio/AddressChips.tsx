import { Address, Button, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { EXACT_MATCH } from "../../components/exactMatch.ts";
import type { AppChain } from "../../settings.ts";
import { NamedAddress } from "../../wallet/NamedAddress.tsx";
import { useOwnWallets } from "../../wallet/useOwnWallets.ts";
import { WalletsTotal } from "./WalletsTotal.tsx";
import { useWatched } from "./watched.ts";

export interface AddressChipsProps {
  /** The address that the page shows by default, lower-case hex. */
  own: string | undefined;
  /** Whether that is the connected wallet; otherwise it is the primary one. */
  isConnected: boolean;
  /** The user's primary address. */
  primary: string | undefined;
  /** The address that it shows. */
  shown: string | undefined;
  chains: readonly AppChain[];
}

/** Links to the portfolios of one's own wallets, with their total value, and of the watched addresses. */
export function AddressChips({ own, isConnected, primary, shown, chains }: AddressChipsProps) {
  const { t } = useTranslation();
  const { watched } = useWatched();
  const [chain] = chains;
  const wallets = useOwnWallets();
  const linked = wallets.filter((address) => address !== own);
  const others = watched.filter((address) => !wallets.includes(address));
  const kindOf = (address: string) =>
    !wallets.includes(address)
      ? t("Watched")
      : address === primary?.toLowerCase()
        ? t("Primary wallet")
        : t("Linked wallet");
  if (linked.length === 0 && others.length === 0) return null;
  return (
    <div className="row spread watched">
      <nav className="chips" aria-label={t("Wallets and watched addresses")}>
        {own !== undefined && (
          <Link
            to="/portfolio"
            search={(before) => ({ ...before, address: undefined })}
            className="chip"
            activeOptions={EXACT_MATCH}
            aria-current={shown === own ? "page" : undefined}
          >
            <span className="soft">{isConnected ? t("Connected wallet") : t("Primary wallet")}</span>{" "}
            <Address address={own} short />
          </Link>
        )}
        {[...linked, ...others].map((address) => (
          <Link
            key={address}
            to="/portfolio"
            search={(before) => ({ ...before, address })}
            className="chip"
            aria-current={shown === address ? "page" : undefined}
          >
            <span className="soft">{kindOf(address)}</span>{" "}
            {chain ? (
              <NamedAddress address={address} chain={chain.hexId} />
            ) : (
              <Address address={address} short />
            )}
          </Link>
        ))}
      </nav>
      {linked.length > 0 && chain !== undefined && <WalletsTotal wallets={wallets} chains={chains} />}
    </div>
  );
}

/** Starts and stops watching an address. */
export function WatchButton({ address }: { address: string }) {
  const { t } = useTranslation();
  const { watched, watch, unwatch } = useWatched();
  const isWatched = watched.includes(address);
  if (useOwnWallets().includes(address)) return null;
  return (
    <Button aria-pressed={isWatched} onClick={() => (isWatched ? unwatch(address) : watch(address))}>
      {isWatched ? t("Stop watching") : t("Watch")}
    </Button>
  );
}
