import { CopyButton, useTranslation } from "@purse/ui";
import { useContext } from "react";
import type { AbiParameter } from "viem";
import { arrayItem, tupleComponents } from "../../money/abiDraft.ts";
import { formatExactAmount } from "../../money/amount.ts";
import { AddressValue } from "./AddressValue.tsx";
import { CalledToken } from "./CalledToken.ts";

/** A returned or logged value by its ABI type. Strings are rendered as plain text. */
export function DecodedValue({ parameter, value }: { parameter: AbiParameter; value: unknown }) {
  const { t, language } = useTranslation();
  const token = useContext(CalledToken);
  const decimals = token?.decimals ?? 18;
  const components = tupleComponents(parameter);
  const array = arrayItem(parameter);
  if (array && Array.isArray(value)) {
    if (value.length === 0) return <span className="soft">{t("empty array")}</span>;
    return (
      <ol className="decoded" start={0}>
        {value.slice(0, 200).map((each, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by position.
          <li key={i}>
            <DecodedValue parameter={array.item} value={each} />
          </li>
        ))}
      </ol>
    );
  }
  if (components) {
    return (
      <DecodedList
        parameters={components}
        values={components.map((component, i) =>
          Array.isArray(value)
            ? value[i]
            : component.name
              ? Reflect.get(Object(value), component.name)
              : undefined,
        )}
      />
    );
  }
  if (parameter.type === "address") return <AddressValue address={String(value)} />;
  const text = String(value);
  const shown = text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
  return (
    <span className="row">
      <bdi className={parameter.type === "string" ? "exact" : "address exact"}>
        {text === "" ? <span className="soft">{t("empty text")}</span> : shown}
      </bdi>
      {typeof value === "bigint" && decimals > 2 && value >= 10n ** BigInt(decimals - 3) && (
        <span className="soft small">
          = {formatExactAmount(value, decimals, language)}{" "}
          {token?.symbol ? (
            <bdi>{token.symbol.slice(0, 20)}</bdi>
          ) : (
            <>
              × 10<sup>{decimals}</sup>
            </>
          )}
        </span>
      )}
      <CopyButton text={text} label={parameter.name || t("value")} />
    </span>
  );
}

export interface DecodedListProps {
  parameters: readonly AbiParameter[];
  values: readonly unknown[];
}

export function DecodedList({ parameters, values }: DecodedListProps) {
  return (
    <dl className="decoded-values">
      {parameters.map((parameter, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parameters are identified by position.
        <div key={i}>
          <dt>
            {parameter.name || i} <code className="small">{parameter.type}</code>
          </dt>
          <dd>
            <DecodedValue parameter={parameter} value={values[i]} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
