import { Identicon } from "@purse/ui";
import "./AssetIcon.css";

/**
 * The icon of a coin or token: drawn from its contract, so that tokens with the same symbol look different, and no other
 * server is asked for a picture.
 */
export function AssetIcon({ address, symbol }: { address: string | null; symbol: string }) {
  return (
    <span className="asset-icon" aria-hidden="true">
      {address === null ? [...(symbol || "?")][0] : <Identicon address={address} size={36} />}
    </span>
  );
}
