import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Address } from "../../design/Address.tsx";
import { Button } from "../../design/Button.tsx";
import { Switch } from "../../design/Choice.tsx";
import { QueryState } from "../../design/QueryState.tsx";
import { Status } from "../../design/Status.tsx";
import { EmptyState, SkeletonList } from "../../design/states.tsx";
import { displayAmount, exactAmount } from "../../money/amount.ts";
import { displayFiat, worth } from "../../money/fiat.ts";
import type { SpamReason } from "../../money/spam.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { chainName } from "../../wallet/chains.ts";
import { type ChainQuery, isDust, joinedHoldings, type Row, tokenRows } from "./tokenRows.ts";
import { type Judging, keyOf } from "./verdicts.ts";

const REASONS: Record<SpamReason | "own", string> = {
  link: "Its name is an advertisement",
  native: "It copies the name of the chain's coin",
  twin: "Its symbol looks like another token's",
  hidden: "Its name hides letters",
  own: "You have put it here",
};

export interface TokensProps extends Judging {
  holdings: readonly ChainQuery[];
  isOwn: boolean;
}

/** The coins and tokens of an address; what is likely to be spam lies in a folder of its own. */
export function Tokens({ holdings, verdicts, judge, isOwn }: TokensProps) {
  const { t, count } = useTexts();
  const { dust } = useSearch({ from: "/portfolio" });
  const navigate = useNavigate({ from: "/portfolio" });
  const all = joinedHoldings(holdings);
  const { good, spam } = tokenRows(all.data ?? [], verdicts);
  const kept = dust === "hidden" ? good.filter(({ asset }) => !isDust(asset)) : good;
  const several = holdings.length > 1;
  const list = (of: Row[], folder: boolean) => (
    <ul className="list">
      {of.map((row) => (
        <TokenRow
          key={keyOf(row.asset)}
          row={row}
          several={several}
          isOwn={isOwn}
          folder={folder}
          onJudge={() => judge(row.asset, folder ? "fine" : "spam")}
        />
      ))}
    </ul>
  );
  return (
    <section className="card stack" aria-labelledby="tokens">
      <div className="section-head">
        <h2 id="tokens">{t("Tokens")}</h2>
        <Switch
          label={t("Hide dust")}
          checked={dust === "hidden"}
          onChange={(on) =>
            void navigate({
              search: (before) => ({ ...before, dust: on ? "hidden" : undefined }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
      <QueryState
        query={all}
        label={t("Loading tokens")}
        skeleton={<SkeletonList rows={3} label={t("Loading tokens")} />}
      >
        {() =>
          kept.length > 0 ? (
            list(kept, false)
          ) : (
            <EmptyState title={t("No tokens")}>
              {good.length > 0
                ? t("All that is here is worth less than a dollar.")
                : t("This wallet has received none that it still holds.")}
            </EmptyState>
          )
        }
      </QueryState>
      {good.length > kept.length && (
        <p className="small soft">
          {count(
            good.length - kept.length,
            "{n} asset worth less than a dollar is hidden",
            "{n} assets worth less than a dollar are hidden",
          )}
        </p>
      )}
      {spam.length > 0 && (
        <details className="folder">
          <summary>{count(spam.length, "Spam folder: {n} token", "Spam folder: {n} tokens")}</summary>
          {list(spam, true)}
        </details>
      )}
    </section>
  );
}

function noPrice({ hasPriceFailed, isThin }: Row["asset"]): string {
  if (hasPriceFailed) return "The price could not be read";
  return isThin ? "Too little liquidity for a price" : "No price";
}

function TokenRow({
  row: { asset, reason, collides },
  several,
  isOwn,
  folder,
  onJudge,
}: {
  row: Row;
  several: boolean;
  isOwn: boolean;
  folder: boolean;
  onJudge: () => void;
}) {
  const { t, language } = useTexts();
  const [isOpen, setIsOpen] = useState(false);
  const { address, balance, decimals, usdPrice, chain } = asset;
  const symbol = asset.symbol.slice(0, 24);
  const name = asset.name.slice(0, 80) || t("Unnamed token");
  return (
    <li>
      <div className="asset">
        <span className="coin" aria-hidden="true">
          {[...(symbol || "?")][0]}
        </span>
        <button
          type="button"
          className="asset-name"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          <bdi className="clip">{name}</bdi>
          <span className="small soft clip">
            {several && <>{chainName(chain)} · </>}
            {usdPrice === null
              ? t(noPrice(asset))
              : t("{price} each", { price: displayFiat(usdPrice, language) })}
          </span>
        </button>
        <span className="right number" title={`${exactAmount(balance, decimals)} ${symbol}`}>
          <strong>
            {usdPrice === null ? "—" : displayFiat(worth(balance, decimals, usdPrice), language)}
          </strong>
          <span className="small soft">
            {displayAmount(balance, decimals, language)} <bdi>{symbol}</bdi>
          </span>
        </span>
      </div>
      {collides && !folder && (
        <p className="small token-twin">
          <Status kind="warning">{t("Another contract has this symbol too")}</Status>
          {address ? <Address address={address} short /> : t("This is the chain's own coin")}
        </p>
      )}
      {folder && (
        <p className="small">
          <Status kind="warning">{t(REASONS[reason ?? "own"])}</Status>
        </p>
      )}
      {isOpen && (
        <div className="asset-more stack tight">
          <p className="number exact">
            {exactAmount(balance, decimals)} <bdi>{symbol}</bdi>
          </p>
          {address && <Address address={address} copy />}
          <div className="row">
            {isOwn && balance > 0n && !folder && (
              <Link
                to="/send"
                search={{ asset: address ?? "native", chain: chain.hexId }}
                className="button small"
              >
                {t("Send")}
              </Link>
            )}
            {address && (
              <>
                <Link to="/contract" search={{ address, chain: chain.hexId }} className="button small">
                  {t("Contract")}
                </Link>
                <Button small look="quiet" onClick={onJudge}>
                  {folder ? t("Not spam") : t("Move to spam")}
                </Button>
              </>
            )}
          </div>
        </div>
      )}
    </li>
  );
}
