import { Web3API } from "@purse/client";
import {
  Address,
  Button,
  Detail,
  DetailList,
  EmptyState,
  Field,
  isNotFound,
  isUnavailable,
  Notice,
  Skeleton,
  useTranslation,
} from "@purse/ui";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { formatFiatPrice } from "../../money/fiat.ts";
import { usePageTitle } from "../../usePageTitle.ts";
import { checksumOf } from "../../wallet/checksum.ts";
import { Amount } from "./Amount.tsx";
import { isAddressText } from "./abi/addressText.ts";
import { TRANSFER_COLUMNS } from "./csvColumns.ts";
import { getTokenPrice } from "./dataApi.ts";
import { useDataQuery } from "./dataQueries.ts";
import { AddressLink } from "./EntityLinks.tsx";
import { EntityPage, EntityTabs, ValidAddress } from "./EntityPage.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { Holders } from "./Holders.tsx";
import { PagedList } from "./PagedList.tsx";
import { PriceChart } from "./PriceChart.tsx";
import { HISTORY_TIMEOUT_MS, rangeOf, readPriceHistory } from "./priceHistory.ts";
import { TokenStats } from "./TokenStats.tsx";
import { TransferTable } from "./tables.tsx";

export function TokenPage() {
  const { address } = useParams({ from: "/explorer/token/$address" });
  const { t } = useTranslation();
  usePageTitle(t("Token {address}", { address: `${address.slice(0, 8)}…` }));
  return <ValidAddress heading={t("Token")} address={address} page={TokenDetails} />;
}

function TokenDetails({ address }: { address: string }) {
  const { t } = useTranslation();
  const { chain } = useExplorer();
  const found = useDataQuery(Web3API.token.getTokenMetadata, { chain: chain.hexId, addresses: [address] });
  const [token] = found.data ?? [];
  return (
    <EntityPage
      heading={
        <>
          {token ? <bdi>{token.name.slice(0, 80) || t("Unnamed token")}</bdi> : t("Token")}{" "}
          {token?.symbol && <bdi className="soft">{token.symbol.slice(0, 20)}</bdi>}
        </>
      }
      query={{ ...found, data: token }}
      loadingLabel={t("Loading token")}
      render={(token) => (
        <>
          {token.symbol === "" && token.name === "" && token.decimals === null && (
            <Notice kind="warning" title={t("No token metadata")}>
              {t("This contract returns no name, symbol or decimals. It may not be a token.")}
            </Notice>
          )}
          <section className="card stack" aria-label={t("Token")}>
            <Address address={checksumOf(address)} copy />
            <DetailList className="explorer-facts">
              <Detail label={t("Contract")}>
                <AddressLink address={address} />
              </Detail>
              <Detail label={t("Decimals")}>
                <span className="number">{token.decimals}</span>
              </Detail>
              <Detail label={t("Price")}>
                <Price address={address} />
              </Detail>
              <TokenStats address={address} decimals={Number(token.decimals)} />
            </DetailList>
            <p className="small soft">
              {t("Anyone can choose a token's name and symbol. Always verify the contract address.")}
            </p>
          </section>
          <EntityTabs
            label={t("Token details")}
            tabs={[
              { key: "transfers", label: t("Transfers"), content: () => <Transfers address={address} /> },
              {
                key: "holders",
                label: t("Holders"),
                content: () => (
                  <Holders address={address} decimals={Number(token.decimals)} symbol={token.symbol} />
                ),
              },
              { key: "price", label: t("Price history"), content: () => <Prices address={address} /> },
            ]}
          />
        </>
      )}
    />
  );
}

function Price({ address }: { address: string }) {
  const { t, language } = useTranslation();
  const { chain } = useExplorer();
  const { data, error, isFetching, refetch } = useDataQuery(getTokenPrice, { chain: chain.hexId, address });
  if (isNotFound(error) || isUnavailable(error)) return <span className="soft">{t("No liquid market")}</span>;
  if (!data && error !== null) {
    return (
      <span className="row tight-row soft">
        {t("Price unavailable")}
        <Button small busy={isFetching} onClick={() => void refetch()}>
          {t("Try again")}
        </Button>
      </span>
    );
  }
  if (!data) return <Skeleton width="8rem" />;
  const { nativePrice, usdPrice, exchangeName } = data;
  return (
    <>
      <Amount value={nativePrice.value} decimals={nativePrice.decimals} unit={nativePrice.symbol} />
      {usdPrice > 0 && (
        <span className="number" title={formatFiatPrice(usdPrice, language, 15)}>
          {" "}
          · {formatFiatPrice(usdPrice, language, 6)}
        </span>
      )}
      {exchangeName && (
        <span className="soft price-source">
          {" "}
          {t("on")} <bdi>{exchangeName.slice(0, 40)}</bdi>
        </span>
      )}
    </>
  );
}

function Transfers({ address }: { address: string }) {
  const { t } = useTranslation();
  return (
    <PagedList
      title={t("Transfers")}
      label={t("Loading transfers")}
      operation={Web3API.token.getTokenAddressTransfers}
      params={{ address }}
      isLive
      file={{ name: `transfers-${address}`, columns: TRANSFER_COLUMNS }}
    >
      {(rows) => <TransferTable rows={rows} empty={<EmptyState title={t("No transfers yet")} />} />}
    </PagedList>
  );
}

function Prices({ address }: { address: string }) {
  const { t } = useTranslation();
  const { chain } = useExplorer();
  const range = rangeOf(useSearch({ from: "/explorer/token/$address" }).range);
  const points = useDataQuery(readPriceHistory, { chain: chain.hexId, address, range }, true, {
    timeoutMs: HISTORY_TIMEOUT_MS,
  });
  return (
    <section className="card stack" aria-label={t("Price history")}>
      <PriceChart label={t("Price")} unit={chain.nativeCurrency.symbol} points={points} range={range} />
      <PairForm address={address} />
    </section>
  );
}

/** The form that opens the pair of this token and another. */
function PairForm({ address }: { address: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [other, setOther] = useState("");
  const [problem, setProblem] = useState<string>();
  function submit(event: FormEvent) {
    event.preventDefault();
    const otherAddress = other.trim().toLowerCase();
    if (!isAddressText(otherAddress)) setProblem(t("Expected 0x followed by 40 hex characters."));
    else if (otherAddress === address) setProblem(t("Enter a different token."));
    else void navigate({ to: "/explorer/pair/$a/$b", params: { a: address, b: otherAddress } });
  }
  return (
    <form onSubmit={submit}>
      <Field
        label={t("Trading pair")}
        hint={t("Token contract address")}
        value={other}
        problem={problem}
        isCode
        onText={setOther}
        after={<Button type="submit">{t("View pair")}</Button>}
      />
    </form>
  );
}
