import { useTranslation } from "../i18n/TranslationContext.tsx";
import { CopyButton } from "./CopyButton.tsx";
import { addressGroups, shortAddress } from "./formatAddress.ts";
import { Identicon } from "./Identicon.tsx";

export interface AddressProps {
  address: string;
  /** For compact layouts: the full address stays in the title and for screen readers. */
  short?: boolean;
  copy?: boolean;
}

export function Address({ address, short, copy }: AddressProps) {
  const { t } = useTranslation();
  return (
    <span className="row" style={{ gap: "0.5rem", flexWrap: "nowrap" }}>
      <Identicon address={address} size={short ? 20 : 28} />
      {short ? (
        <span className="address" title={address}>
          <span aria-hidden="true">{shortAddress(address)}</span>
          <span className="visually-hidden">{address}</span>
        </span>
      ) : (
        <span className="address">
          {addressGroups(address).map(({ at, text }) => (
            <span className="group" key={at}>
              {text}
            </span>
          ))}
        </span>
      )}
      {copy && <CopyButton text={address} label={t("address")} />}
    </span>
  );
}
