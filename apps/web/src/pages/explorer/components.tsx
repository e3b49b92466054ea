import type { Erc20Metadata } from "@purse/client";
import { Identicon, type QueryResult, Skeleton, Status, shortAddress, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { exactAmount, formatAmount } from "../../money/amount.ts";
import { checksumOf } from "../../wallet/checksum.ts";
import { useAddressLabel } from "../../wallet/useAddressLabel.ts";
import { methodOf } from "./abi/decode.ts";
import { useExplorer } from "./ExplorerContext.ts";

/** A link to an address. Hovering it highlights the same address on the page. */
export function AddressLink({ address, isFull }: { address: string; isFull?: boolean }) {
  const lower = address.toLowerCase();
  const checksummed = checksumOf(lower);
  const { chain, contacts } = useExplorer();
  const label = useAddressLabel(lower, chain.hexId, contacts.get(lower));
  return (
    <Link
      to="/explorer/address/$address"
      params={{ address: lower }}
      className="to-address"
      data-address={lower}
      title={checksummed}
    >
      <Identicon address={lower} size={18} />
      {isFull ? (
        <>
          {label && <bdi className="strong">{label}</bdi>} <span className="address">{checksummed}</span>
        </>
      ) : (
        <>
          <bdi aria-hidden="true" className={label ? "clip address-label" : "address"}>
            {label ?? shortAddress(checksummed)}
          </bdi>
          <span className="visually-hidden">
            {label} {checksummed}
          </span>
        </>
      )}
    </Link>
  );
}

export function TransactionLink({ hash, isFull }: { hash: string; isFull?: boolean }) {
  return (
    <Link to="/explorer/tx/$hash" params={{ hash }} className="address" title={hash}>
      {isFull ? (
        hash
      ) : (
        <>
          <span aria-hidden="true">{`${hash.slice(0, 10)}…`}</span>
          <span className="visually-hidden">{hash}</span>
        </>
      )}
    </Link>
  );
}

export function BlockLink({ block, children }: { block: string | number; children?: ReactNode }) {
  const { language } = useTranslation();
  return (
    <Link to="/explorer/block/$block" params={{ block: String(block) }} className="number">
      {children ?? Number(block).toLocaleString(language)}
    </Link>
  );
}

/** A link to a token by its symbol, otherwise its address. Symbols are untrusted. */
export function TokenLink({ address, token }: { address: string; token: Erc20Metadata | undefined }) {
  const symbol = token?.symbol.slice(0, 20);
  return (
    <Link
      to="/explorer/token/$address"
      params={{ address }}
      title={`${(token?.name ?? "").slice(0, 80)} ${address}`.trim()}
      data-address={address}
      className="to-address"
    >
      {symbol ? (
        <bdi className="clip token-name">{symbol}</bdi>
      ) : (
        <span className="address">{shortAddress(address)}</span>
      )}
    </Link>
  );
}

export function NftLink({ address, id }: { address: string; id: string }) {
  return (
    <Link
      to="/explorer/nft/$address/$id"
      params={{ address, id }}
      title={`${address} #${id}`}
      className="number"
    >
      #{id.length > 12 ? `${id.slice(0, 10)}…` : id}
    </Link>
  );
}

/** A formatted amount with its exact value in the title. */
export function Amount({
  value,
  decimals,
  unit,
}: {
  value: bigint | string;
  /** Undefined while loading. */
  decimals: number | undefined;
  unit?: string;
}) {
  const { t, language } = useTranslation();
  if (decimals === undefined) {
    return (
      <span className="soft" title={t("{n} in the smallest unit", { n: String(value) })}>
        …
      </span>
    );
  }
  const amount = integerOf(value);
  const sign = amount < 0n ? "−" : "";
  const size = amount < 0n ? -amount : amount;
  const exact = `${sign}${exactAmount(size, decimals)}`;
  return (
    <span className="number" title={unit ? `${exact} ${unit}` : exact}>
      {sign}
      {formatAmount(size, decimals, language)}
      {unit && (
        <>
          {" "}
          <bdi className="soft">{unit.slice(0, 20)}</bdi>
        </>
      )}
    </span>
  );
}

/** An amount of the native coin, in wei. */
export function CoinAmount({ wei }: { wei: bigint | string }) {
  const { decimals, symbol } = useExplorer().chain.nativeCurrency;
  return <Amount value={wei} decimals={decimals} unit={symbol} />;
}

/** The method that a transaction calls. */
export function MethodChip({ input, isCreation }: { input: string; isCreation: boolean }) {
  const { t } = useTranslation();
  const method = methodOf(input);
  const label = isCreation ? t("Contract creation") : (method ?? t("Transfer"));
  return (
    <span className="chip method" title={method === undefined ? undefined : input.slice(0, 10)}>
      {label}
    </span>
  );
}

/** The finality of a block by the rules of its chain. */
export function Finality({ block }: { block: number }) {
  const { t } = useTranslation();
  const { head, safe, final } = useExplorer();
  if (head === undefined || head < block) return null;
  const confirmations = t("{n, plural, one {# confirmation} other {# confirmations}}", {
    n: head - block + 1,
  });
  return (
    <>
      {final !== undefined && block <= final ? (
        <Status kind="ok">{t("Finalized")}</Status>
      ) : safe !== undefined && block <= safe ? (
        <Status kind="info">{t("Safe")}</Status>
      ) : (
        <Status kind="idle">{block === head ? t("Latest") : t("Not finalized")}</Status>
      )}
      <span className="soft number">{confirmations}</span>
    </>
  );
}

/** A list of labelled details. */
export function DetailList({ children }: { children: ReactNode }) {
  return <dl className="explorer-facts">{children}</dl>;
}

export function Detail({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Links to the newest and to older rows. The cursor is kept in the URL. */
export function Pager({ cursor, next }: { cursor: string | undefined; next: string | null | undefined }) {
  const { t } = useTranslation();
  if (!cursor && !next) return null;
  const to = (target: string | undefined) => (before: object) => ({ ...before, cursor: target });
  return (
    <nav className="row spread" aria-label={t("Pagination")}>
      {cursor ? (
        <Link to="." search={to(undefined)} resetScroll={false} className="button small">
          {t("Newest")}
        </Link>
      ) : (
        <span />
      )}
      {next && (
        <Link to="." search={to(next)} resetScroll={false} className="button small">
          {t("Older")}
        </Link>
      )}
    </nav>
  );
}

/** The total number of rows. */
export function RowCount({ query: { data, error } }: { query: QueryResult<{ total: number }> }) {
  const { t } = useTranslation();
  return (
    <span className="soft number">
      {data ? t("{n, number} total", { n: data.total }) : error ? "–" : <Skeleton width="5rem" />}
    </span>
  );
}

export function integerOf(text: bigint | string): bigint {
  if (typeof text === "bigint") return text;
  return /^-?\d+$/.test(text) ? BigInt(text) : 0n;
}
