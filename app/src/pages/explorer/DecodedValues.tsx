import { useTranslation } from "../../i18n/TranslationContext.tsx";
import { isAddressText } from "./abi/addressText.ts";
import type { DecodedValue } from "./abi/decode.ts";
import { AddressLink } from "./components.tsx";

/** What people give who want no limit. */
const MAX_UINT256 = String(2n ** 256n - 1n);

/** Names, types and values as an ABI tells them; what is inside of arrays and tuples stands below. */
export function DecodedValues({ values }: { values: readonly DecodedValue[] }) {
  const { t } = useTranslation();
  return (
    <dl className="decoded">
      {values.map((value, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: values have places, and need not have names.
        <div key={i}>
          <dt>
            <span>{value.name || i}</span> <span className="mono small soft">{value.type}</span>
          </dt>
          <dd>
            {value.items ? (
              <DecodedValues values={value.items.slice(0, 50)} />
            ) : value.type === "address" && isAddressText(value.text) ? (
              <AddressLink address={value.text} isFull />
            ) : (
              <>
                <bdi className="mono decoded-text">{value.text.slice(0, 2_000)}</bdi>
                {value.text === MAX_UINT256 && <span className="soft small"> {t("(max uint256)")}</span>}
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
