import { useTranslation } from "@purse/ui";
import { isAddressText } from "./abi/addressText.ts";
import type { DecodedValue } from "./abi/decode.ts";
import { AddressLink } from "./components.tsx";

/** The value of an unlimited approval. */
const MAX_UINT256 = String(2n ** 256n - 1n);

/** Names, types and values of decoded data; items of arrays and tuples are nested. */
export function DecodedValues({ values }: { values: readonly DecodedValue[] }) {
  const { t } = useTranslation();
  return (
    <dl className="decoded">
      {values.map((value, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: values are identified by position; names are optional.
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
