import { Identicon } from "@purse/ui";
import "./AssetIcon.css";

/** The two pyramids by which wallets show Ether. */
const ETHER = "M12 2 5.6 12.4 12 16.2l6.4-3.8zM12 17.6l-6.4-3.8L12 22l6.4-8.2z";

/**
 * The icon of a coin or token. It is drawn from the contract address, so that tokens with the same symbol look
 * different, and no image is loaded from other servers.
 */
export function AssetIcon({ address, symbol }: { address: string | null; symbol: string }) {
  return (
    <span className="asset-icon" aria-hidden="true">
      {address !== null ? (
        <Identicon address={address} size={36} />
      ) : symbol === "ETH" ? (
        <svg width={22} height={22} viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
          <path d={ETHER} />
        </svg>
      ) : (
        [...(symbol || "?")][0]
      )}
    </span>
  );
}
