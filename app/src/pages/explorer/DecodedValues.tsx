import { useTexts } from "../../texts/TextsContext.tsx";
import { isAddressText } from "./abi/addressText.ts";
import type { DecodedValue } from "./abi/decode.ts";
import { AddressLink } from "./parts.tsx";

/** What people give who want no limit. */
const LARGEST = String(2n ** 256n - 1n);

/** Names, types and values as an ABI tells them; what is inside of arrays and tuples stands below. */
export function DecodedValues({ values }: { values: readonly DecodedValue[] }) {
  const { t } = useTexts();
  return (
    <dl className="decoded">
      {values.map((value, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: values have places, and need not have names.
        <div key={i}>
          <dt>
            <span>{value.name || i}</span> <span className="mono small soft">{value.type}</span>
          </dt>
          <dd>
            {value.parts ? (
              <DecodedValues values={value.parts.slice(0, 50)} />
            ) : value.type === "address" && isAddressText(value.text) ? (
              <AddressLink address={value.text} whole />
            ) : (
              <>
                <bdi className="mono decoded-text">{value.text.slice(0, 2_000)}</bdi>
                {value.text === LARGEST && (
                  <span className="soft small"> {t("(as much as there can be)")}</span>
                )}
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
