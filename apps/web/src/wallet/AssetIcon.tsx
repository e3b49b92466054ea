import { Identicon } from "@purse/ui";
import "./AssetIcon.css";

/**
 * The icon of a coin or token. It is drawn from the contract address, so that tokens with the same symbol look
 * different, and no image is loaded from other servers.
 */
export function AssetIcon({ address, symbol }: { address: string | null; symbol: string }) {
  return (
    <span className="asset-icon" aria-hidden="true">
      {address === null ? [...(symbol || "?")][0] : <Identicon address={address} size={36} />}
    </span>
  );
}
