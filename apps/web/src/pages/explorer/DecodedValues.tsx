import type { Erc20Metadata } from "@purse/client";
import { useTranslation } from "@purse/ui";
import { formatAmount } from "../../money/amount.ts";
import { isAddressText } from "./abi/addressText.ts";
import type { DecodedValue } from "./abi/decode.ts";
import { AddressLink } from "./EntityLinks.tsx";

/** The value of an unlimited approval. */
const MAX_UINT256 = String(2n ** 256n - 1n);

export interface DecodedValuesProps {
  values: readonly DecodedValue[];
  /** The token whose units amounts may have. */
  token?: Erc20Metadata | undefined;
}

/** Names, types and values of decoded data; items of arrays and tuples are nested. */
export function DecodedValues({ values, token }: DecodedValuesProps) {
  const { t, language } = useTranslation();
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
              <DecodedValues values={value.items.slice(0, 50)} token={token} />
            ) : value.type === "address" && isAddressText(value.text) ? (
              <AddressLink address={value.text} isFull />
            ) : (
              <>
                <bdi className="mono decoded-text">{value.text.slice(0, 2_000)}</bdi>
                {value.text === MAX_UINT256 ? (
                  <span className="soft small"> {t("(max uint256)")}</span>
                ) : (
                  isAmount(value, token) && (
                    <span className="soft small">
                      {" = "}
                      {value.text.startsWith("-") && "−"}
                      {formatAmount(BigInt(value.text.replace("-", "")), Number(token?.decimals), language)}{" "}
                      <bdi>{token?.symbol.slice(0, 20)}</bdi>
                    </span>
                  )
                )}
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The names of parameters that are amounts of the token itself. Those of a pool, such as `amount0In`, are of other tokens. */
const OWN_AMOUNT = /^_?(value|amount|wad|rawAmount|tokens|shares|addedValue|subtractedValue)$/i;

/** Whether a number is an amount of the token that emitted or received it, and large enough to be one: a thousandth or more. */
export function isAmount({ name, type, text }: DecodedValue, token: Erc20Metadata | undefined): boolean {
  const decimals = Number(token?.decimals ?? 0);
  const isNumber = /^u?int(256|128)?$/.test(type) && decimals > 2;
  return isNumber && OWN_AMOUNT.test(name) && text.replace("-", "").length > decimals - 3;
}
