import { Address, Button, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { EXACT_MATCH } from "../../components/exactMatch.ts";
import { useWatched } from "./watched.ts";

/** Links to the portfolios of one's own wallet and of the watched addresses, if there are any. */
export function WatchedAddresses({ own, shown }: { own: string | undefined; shown: string | undefined }) {
  const { t } = useTranslation();
  const { watched } = useWatched();
  const others = watched.filter((address) => address !== own);
  if (others.length === 0) return null;
  return (
    <nav className="chips watched" aria-label={t("Watched addresses")}>
      {own !== undefined && (
        <Link
          to="/portfolio"
          search={(before) => ({ ...before, address: undefined })}
          className="chip"
          activeOptions={EXACT_MATCH}
          aria-current={shown === own ? "page" : undefined}
        >
          {t("Your wallet")}
        </Link>
      )}
      {others.map((address) => (
        <Link
          key={address}
          to="/portfolio"
          search={(before) => ({ ...before, address })}
          className="chip"
          activeOptions={EXACT_MATCH}
          aria-current={shown === address ? "page" : undefined}
        >
          <Address address={address} short />
        </Link>
      ))}
    </nav>
  );
}

/** Starts and stops watching an address. */
export function WatchButton({ address }: { address: string }) {
  const { t } = useTranslation();
  const { watched, watch, unwatch } = useWatched();
  const isWatched = watched.includes(address);
  return (
    <Button aria-pressed={isWatched} onClick={() => (isWatched ? unwatch(address) : watch(address))}>
      {isWatched ? t("Stop watching") : t("Watch")}
    </Button>
  );
}
