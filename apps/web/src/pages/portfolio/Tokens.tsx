import {
  Address,
  Button,
  EmptyState,
  QueryState,
  SkeletonList,
  Status,
  Switch,
  useTranslation,
} from "@purse/ui";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { formatAmount, formatExactAmount } from "../../money/amount.ts";
import { fiatValue, formatFiat, formatFiatPrice, formatPercentChange } from "../../money/fiat.ts";
import type { SpamReason } from "../../money/spam.ts";
import { chainName } from "../../settings.ts";
import { AssetIcon } from "../../wallet/AssetIcon.tsx";
import { keyOf, type SpamOverridesState } from "./spamOverrides.ts";
import { type ChainQuery, combineHoldings, isDust, type Row, tokenRows } from "./tokenRows.ts";

const SPAM_REASONS: Record<SpamReason | "own", string> = {
  reported: "Possible spam, according to the server",
  native: "Impersonates the native coin",
  confusable: "Symbol imitates another token",
  hidden: "Name contains hidden characters",
  own: "Marked as spam by you",
};

/** Smaller changes of a price are not shown, in percent. */
const MIN_PERCENT = 0.01;

export interface TokensProps extends SpamOverridesState {
  holdings: readonly ChainQuery[];
  isOwn: boolean;
}

/** The tokens of an address, with likely spam in a separate folder. */
export function Tokens({ holdings, overrides, setOverride, isOwn }: TokensProps) {
  const { t } = useTranslation();
  const { dust } = useSearch({ from: "/portfolio" });
  const navigate = useNavigate({ from: "/portfolio" });
  const all = combineHoldings(holdings);
  const { good, spam } = tokenRows(all.data ?? [], overrides);
  const visible = dust === "hidden" ? good.filter(({ asset }) => !isDust(asset)) : good;
  const showsChain = holdings.length > 1;
  const renderList = (of: Row[], isSpam: boolean) => (
    <ul className="list">
      {of.map((row) => (
        <TokenRow
          key={keyOf(row.asset)}
          row={row}
          showsChain={showsChain}
          isOwn={isOwn}
          isSpam={isSpam}
          onToggleSpam={() => setOverride(row.asset, isSpam ? "fine" : "spam")}
        />
      ))}
    </ul>
  );
  return (
    <section className="card stack" aria-labelledby="tokens">
      <div className="row spread">
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
          visible.length > 0 ? (
            renderList(visible, false)
          ) : (
            <EmptyState title={t("No tokens")}>
              {good.length > 0 ? t("All tokens are worth less than $1.") : t("No tokens in this wallet.")}
            </EmptyState>
          )
        }
      </QueryState>
      {good.length > visible.length && (
        <p className="small soft">
          {t(
            "{n, plural, one {# asset worth less than $1 hidden} other {# assets worth less than $1 hidden}}",
            { n: good.length - visible.length },
          )}
        </p>
      )}
      {spam.length > 0 && (
        <details className="folder">
          <summary>
            {t("{n, plural, one {Spam folder: # token} other {Spam folder: # tokens}}", { n: spam.length })}
          </summary>
          {renderList(spam, true)}
        </details>
      )}
    </section>
  );
}

function noPriceReason({ hasLowLiquidity: isThin }: Row["asset"]): string {
  return isThin ? "Low liquidity" : "No price";
}

/** How the price has changed within 24 hours, if it did. */
function DayChange({ asset: { usdPrice, usdDayBefore } }: { asset: Row["asset"] }) {
  const { t, language } = useTranslation();
  if (usdPrice === null || usdDayBefore === null || usdDayBefore <= 0) return null;
  const percent = (usdPrice / usdDayBefore - 1) * 100;
  if (Math.abs(percent) < MIN_PERCENT) return null;
  return (
    <>
      {" "}
      <span className="number" data-trend={percent < 0 ? "down" : "up"} title={t("in 24 hours")}>
        {formatPercentChange(percent, language)}
        <span className="visually-hidden"> {t("in 24 hours")}</span>
      </span>
    </>
  );
}

function TokenRow({
  row: { asset, reason, hasDuplicateSymbol: collides },
  showsChain,
  isOwn,
  isSpam,
  onToggleSpam,
}: {
  row: Row;
  showsChain: boolean;
  isOwn: boolean;
  isSpam: boolean;
  onToggleSpam: () => void;
}) {
  const { t, language } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const { address, balance, decimals, usdPrice, chain } = asset;
  const symbol = asset.symbol.slice(0, 24);
  const name = asset.name.slice(0, 80) || t("Unnamed token");
  return (
    <li>
      <div className="asset">
        <AssetIcon address={address} symbol={symbol} />
        <button
          type="button"
          className="asset-name"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          <bdi className="clip">{name}</bdi>
          <span className="small soft">
            {showsChain && <>{chainName(chain, t)} · </>}
            {usdPrice === null
              ? t(noPriceReason(asset))
              : t("{price} each", { price: formatFiatPrice(usdPrice, language) })}
            <DayChange asset={asset} />
          </span>
        </button>
        <span className="right number" title={`${formatExactAmount(balance, decimals, language)} ${symbol}`}>
          <strong>
            {usdPrice === null ? "—" : formatFiat(fiatValue(balance, decimals, usdPrice), language)}
          </strong>
          <span className="small soft">
            {formatAmount(balance, decimals, language)} <bdi>{symbol}</bdi>
          </span>
        </span>
      </div>
      {collides && !isSpam && (
        <p className="small token-twin">
          <Status kind="warning">{t("Another contract uses this symbol")}</Status>
          {address ? <Address address={address} short /> : t("Native coin of the chain")}
        </p>
      )}
      {isSpam && (
        <p className="small">
          <Status kind="warning">{t(SPAM_REASONS[reason ?? "own"])}</Status>
        </p>
      )}
      {isOpen && (
        <div className="asset-more stack tight">
          <p className="number exact">
            {formatExactAmount(balance, decimals, language)} <bdi>{symbol}</bdi>
          </p>
          {address && <Address address={address} copy />}
          <div className="row">
            {isOwn && balance > 0n && !isSpam && (
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
                <Button small variant="quiet" onClick={onToggleSpam}>
                  {isSpam ? t("Not spam") : t("Mark as spam")}
                </Button>
              </>
            )}
          </div>
        </div>
      )}
    </li>
  );
}
