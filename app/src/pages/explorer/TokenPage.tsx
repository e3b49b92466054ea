import { type Erc20Metadata, Web3API } from "@purse/client";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Address } from "../../design/Address.tsx";
import { Button } from "../../design/Button.tsx";
import { Field } from "../../design/Field.tsx";
import { Notice } from "../../design/Status.tsx";
import { EmptyState, ErrorState, Skeleton, SkeletonList } from "../../design/states.tsx";
import { Table } from "../../design/Table.tsx";
import { Tabs } from "../../design/Tabs.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { usePageTitle } from "../../usePageTitle.ts";
import { checksumOf } from "../../wallet/checksum.ts";
import { isAddressText } from "./abi/addressText.ts";
import { allPages, isNotFound, priceHistory, rangeOf, useAnswer, useLiveAnswer } from "./answers.ts";
import { useExplorer } from "./ExplorerContext.ts";
import { ExportButton } from "./ExportButton.tsx";
import { holdersOf } from "./flows.ts";
import { PriceChart } from "./PriceChart.tsx";
import { AddressLink, Amount, Fact, Facts, Pager, Total } from "./parts.tsx";
import { getTokenPrice } from "./quietly.ts";
import { TransferTable } from "./tables.tsx";

const ROWS = 25;
/** Holders are added up from a token's transfers where there are no more of them. */
const MOST_TRANSFERS = 2_000;
const HOLDERS = 100;

export function TokenPage() {
  const { address } = useParams({ from: "/explorer/token/$address" });
  const { t } = useTexts();
  usePageTitle(t("Token {address}", { address: `${address.slice(0, 8)}…` }));
  if (!isAddressText(address)) {
    return (
      <>
        <h1>{t("Token")}</h1>
        <EmptyState title={t("That is no address")}>{t("An address is 0x and 40 digits.")}</EmptyState>
      </>
    );
  }
  const lower = address.toLowerCase();
  return <TokenOf key={lower} address={lower} />;
}

function TokenOf({ address }: { address: string }) {
  const { t } = useTexts();
  const { chain } = useExplorer();
  const { tab } = useSearch({ from: "/explorer/token/$address" });
  const navigate = useNavigate({ from: "/explorer/token/$address" });
  const { data, error, again } = useAnswer(Web3API.token.getTokenMetadata, {
    chain: chain.hexId,
    addresses: [address],
  });
  const [token] = data ?? [];
  const isToken = token && (token.symbol !== "" || token.name !== "" || token.decimals !== "0");
  const tabs = [
    { key: "transfers", label: t("Transfers") },
    { key: "holders", label: t("Holders") },
    { key: "price", label: t("Price over time") },
  ];
  const shown = tabs.find(({ key }) => key === tab)?.key ?? "transfers";
  return (
    <div className="stack wide-gaps">
      <div className="page-head">
        <h1>
          {token ? <bdi>{token.name.slice(0, 80) || t("Unnamed token")}</bdi> : t("Token")}{" "}
          {token?.symbol && <bdi className="soft">{token.symbol.slice(0, 20)}</bdi>}
        </h1>
      </div>
      {error ? (
        <ErrorState error={error} retry={again} />
      ) : !token ? (
        <div className="card">
          <SkeletonList rows={4} label={t("Loading the token")} />
        </div>
      ) : (
        <>
          {!isToken && (
            <Notice kind="warning" title={t("It says nothing of itself")}>
              {t("No name, symbol or decimals are told at this address: it may be no token.")}
            </Notice>
          )}
          <section className="card stack" aria-label={t("The token")}>
            <Address address={checksumOf(address)} copy />
            <Facts>
              <Fact label={t("Contract")}>
                <AddressLink address={address} />
              </Fact>
              <Fact label={t("Decimals")}>
                <span className="number">{token.decimals}</span>
              </Fact>
              <Fact label={t("Price")}>
                <Price address={address} />
              </Fact>
            </Facts>
            <p className="small soft">
              {t(
                "Name and symbol are what the contract says: anybody can choose them. The address is what counts.",
              )}
            </p>
          </section>
          <Tabs
            label={t("About the token")}
            tabs={tabs}
            value={shown}
            onChange={(key) =>
              void navigate({
                search: {
                  tab: key === "transfers" ? undefined : key,
                  cursor: undefined,
                },
                replace: true,
                resetScroll: false,
              })
            }
          >
            {shown === "transfers" && <Transfers address={address} />}
            {shown === "holders" && <Holders address={address} token={token} />}
            {shown === "price" && <Prices address={address} />}
          </Tabs>
        </>
      )}
    </div>
  );
}

function Price({ address }: { address: string }) {
  const { t, language } = useTexts();
  const { chain } = useExplorer();
  const { data, error } = useAnswer(getTokenPrice, { chain: chain.hexId, address });
  if (error) {
    return (
      <span className="soft">
        {isNotFound(error) ? t("No exchange with enough in it trades it") : t("Cannot be asked just now")}
      </span>
    );
  }
  if (!data) return <Skeleton width="8rem" />;
  const { nativePrice, usdPrice, exchangeName } = data;
  return (
    <>
      <Amount value={nativePrice.value} decimals={nativePrice.decimals} unit={nativePrice.symbol} />
      {usdPrice > 0 && (
        <span className="number" title={String(usdPrice)}>
          {" "}
          ·{" "}
          {usdPrice.toLocaleString(language, {
            style: "currency",
            currency: "USD",
            maximumSignificantDigits: 6,
          })}
        </span>
      )}
      {exchangeName && (
        <span className="soft">
          {" "}
          {t("on")} <bdi>{exchangeName.slice(0, 40)}</bdi>
        </span>
      )}
    </>
  );
}

function Transfers({ address }: { address: string }) {
  const { t } = useTexts();
  const { chain } = useExplorer();
  const { cursor } = useSearch({ from: "/explorer/token/$address" });
  const { data, error, again } = useLiveAnswer(
    Web3API.token.getTokenAddressTransfers,
    { chain: chain.hexId, address, limit: ROWS, ...(cursor && { cursor }) },
    cursor === undefined,
  );
  return (
    <section className="card stack tight" aria-label={t("Transfers")}>
      <div className="row spread">
        <Total total={data?.total} />
        <ExportButton
          name={`transfers-${address}`}
          columns={["hash", "block", "time", "from", "to", "value_smallest_unit"]}
          rows={async () =>
            (await transfersOf({ chain: chain.hexId, address })).map((row) => [
              row.transaction_hash,
              row.block_number,
              row.block_timestamp,
              row.from_address,
              row.to_address,
              row.value,
            ])
          }
        />
      </div>
      {error ? (
        <ErrorState error={error} retry={again} />
      ) : (
        <TransferTable rows={data?.result} empty={<EmptyState title={t("It has not moved yet")} />} />
      )}
      <Pager cursor={cursor} next={data?.cursor} />
    </section>
  );
}

function transfersOf(
  { chain, address }: { chain: string; address: string },
  options?: { signal?: AbortSignal },
) {
  return allPages(
    (after) =>
      Web3API.token.getTokenAddressTransfers(
        { chain, address, limit: 500, ...(after && { cursor: after }) },
        options,
      ),
    MOST_TRANSFERS + 1,
  );
}

/** Added up from all transfers; where the index does not have all of them, nobody is named rather than somebody wrong. */
function Holders({ address, token }: { address: string; token: Erc20Metadata }) {
  const { t, count, language } = useTexts();
  const { chain, start } = useExplorer();
  const { data, error, again } = useAnswer(transfersOf, { chain: chain.hexId, address });
  if (error) return <ErrorState error={error} retry={again} />;
  if ((data && data.length > MOST_TRANSFERS) || (start ?? 0) > 0) {
    return (
      <div className="card">
        <EmptyState title={t("Holders are not known here")}>
          {(start ?? 0) > 0
            ? t("This server's index does not begin with the chain, so what came before is not counted.")
            : t("It has moved more than {n} times: too often to add its holders up on this page.", {
                n: MOST_TRANSFERS,
              })}
        </EmptyState>
      </div>
    );
  }
  const holders = data ? holdersOf(data) : undefined;
  const supply = holders?.reduce((sum, { balance }) => sum + balance, 0n) ?? 0n;
  return (
    <section className="card stack tight" aria-label={t("Holders")}>
      {holders && (
        <p className="soft small">
          {count(holders.length, "{n} holder", "{n} holders")} ·{" "}
          {t("added up from its transfers; contracts that reckon balances otherwise may differ")}
        </p>
      )}
      <Table
        caption={t("Holders")}
        rows={holders?.slice(0, HOLDERS)}
        keyOf={({ address }) => address}
        empty={<EmptyState title={t("Nobody holds it")} />}
        columns={[
          { key: "holder", label: t("Holder"), cell: ({ address }) => <AddressLink address={address} /> },
          {
            key: "amount",
            label: t("Amount"),
            number: true,
            cell: ({ balance }) => (
              <Amount value={balance} decimals={Number(token.decimals)} unit={token.symbol} />
            ),
          },
          {
            key: "share",
            label: t("Share"),
            number: true,
            cell: ({ balance }) =>
              (Number((balance * 1_000_000n) / (supply || 1n)) / 1_000_000).toLocaleString(language, {
                style: "percent",
                maximumFractionDigits: 2,
              }),
          },
        ]}
      />
    </section>
  );
}

function Prices({ address }: { address: string }) {
  const { t } = useTexts();
  const { chain } = useExplorer();
  const range = rangeOf(useSearch({ from: "/explorer/token/$address" }).range);
  const { data, error, again } = useAnswer(priceHistory, { chain: chain.hexId, address, range });
  return (
    <section className="card stack" aria-label={t("Price over time")}>
      <PriceChart
        label={t("Price")}
        unit={chain.nativeCurrency.symbol}
        points={data}
        error={error}
        retry={again}
        range={range}
      />
      <ToPair address={address} />
    </section>
  );
}

/** The way to what a pair of this token and another holds. */
function ToPair({ address }: { address: string }) {
  const { t } = useTexts();
  const navigate = useNavigate();
  const [other, setOther] = useState("");
  const [problem, setProblem] = useState<string>();
  function submit(event: FormEvent) {
    event.preventDefault();
    const wanted = other.trim().toLowerCase();
    if (!isAddressText(wanted)) setProblem(t("An address is 0x and 40 digits."));
    else if (wanted === address) setProblem(t("That is this token itself."));
    else void navigate({ to: "/explorer/pair/$a/$b", params: { a: address, b: wanted } });
  }
  return (
    <form onSubmit={submit}>
      <Field
        label={t("Pair with another token")}
        hint={t("Its contract's address.")}
        value={other}
        problem={problem}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setOther(event.target.value)}
        after={<Button type="submit">{t("Show the pair")}</Button>}
      />
    </form>
  );
}
