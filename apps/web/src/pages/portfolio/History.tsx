import type { ApprovalChange } from "@purse/client";
import { useMoralis } from "@purse/react";
import {
  Button,
  EmptyState,
  QueryState,
  RelativeTime,
  SkeletonList,
  Status,
  Switch,
  type Translator,
  useTranslation,
} from "@purse/ui";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { formatExactAmount, formatSignedAmount } from "../../money/amount.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";
import { ExplorerLink } from "../../wallet/ExplorerLink.tsx";
import type { Asset } from "../../wallet/holdings.ts";
import { NamedAddress } from "../../wallet/NamedAddress.tsx";
import {
  type Activity,
  combineActivity,
  counterpartyOf,
  isNoise,
  type Movement,
  movementsOf,
  readActivity,
} from "./activity.ts";
import { activityTitle } from "./activityTitle.ts";
import { approvalAmount } from "./approvalAmount.ts";

const PAGE_SIZE = 20;
/** Transfers of one transaction that are shown. */
const MAX_MOVEMENTS = 4;

export interface HistoryProps {
  address: string;
  chains: AppChain[];
  assets: readonly Asset[];
}

/** What an address did and what happened to it, newest first. */
export function History({ address, chains, assets }: HistoryProps) {
  const { t } = useTranslation();
  const { Moralis } = useMoralis();
  const { history: all } = useSearch({ from: "/portfolio" });
  const navigate = useNavigate({ from: "/portfolio" });
  const [limit, setLimit] = useState(PAGE_SIZE);
  const history = useServerQuery({
    queryKey: ["history", address, chains.map(({ hexId }) => hexId), limit],
    queryFn: async (options) =>
      combineActivity(
        await Promise.all(
          chains.map((chain) => readActivity(Moralis.Web3API, address, chain, limit, options)),
        ),
      ),
    keepPrevious: "always",
  });
  const { data } = history;
  const shown = data?.items.filter((item) => all === "all" || !isNoise(item, address, assets));
  const hidden = (data?.items.length ?? 0) - (shown?.length ?? 0);
  return (
    <section className="card stack" aria-labelledby="history">
      <div className="row spread">
        <h2 id="history">{t("History")}</h2>
        <Switch
          label={t("Show dust and zero-value transfers")}
          checked={all === "all"}
          onChange={(on) =>
            void navigate({
              search: (before) => ({ ...before, history: on ? "all" : undefined }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
      <QueryState
        query={history}
        label={t("Loading history")}
        skeleton={<SkeletonList rows={4} label={t("Loading history")} />}
      >
        {() =>
          !shown || shown.length === 0 ? (
            <EmptyState title={t("No activity yet")} />
          ) : (
            <ul className="list">
              {shown.map((item) => (
                <ActivityRow key={`${item.chain.hexId}/${item.entry.hash}`} item={item} />
              ))}
            </ul>
          )
        }
      </QueryState>
      {hidden > 0 && (
        <p className="small soft">
          {t(
            "{n, plural, one {# dust or zero-value transfer hidden} other {# dust or zero-value transfers hidden}}",
            { n: hidden },
          )}
        </p>
      )}
      <div className="row">
        {data?.hasMore && (
          <Button onClick={() => setLimit(limit + PAGE_SIZE)} busy={history.isFetching}>
            {t("Show more")}
          </Button>
        )}
        {data && (
          <span className="small soft">
            {t("updated")} <RelativeTime at={history.dataUpdatedAt} />
          </span>
        )}
      </div>
    </section>
  );
}

function ActivityRow({ item }: { item: Activity }) {
  const texts = useTranslation();
  const { t } = texts;
  const { chain, entry, at } = item;
  const movements = movementsOf(item);
  const counterparty = counterpartyOf(item);
  const rest = movements.length - MAX_MOVEMENTS;
  return (
    <li className="transfer">
      <span className="move-what">
        <span className="strong">
          {activityTitle(item, t)}{" "}
          {entry.method_label && <bdi className="method">{entry.method_label.slice(0, 40)}</bdi>}{" "}
          {entry.category === "failed" && <Status kind="danger">{t("failed")}</Status>}
        </span>
        {counterparty && <NamedAddress address={counterparty} chain={chain.hexId} />}
      </span>
      <span className="right number">
        {movements.slice(0, MAX_MOVEMENTS).map((movement) => (
          <MovementAmount key={movement.key} movement={movement} />
        ))}
        {rest > 0 && <span className="small soft">{t("and {n, number} more", { n: rest })}</span>}
        {movements.length === 0 &&
          entry.approvals
            .slice(0, MAX_MOVEMENTS)
            .map((each) => <bdi key={each.log_index}>{approvalText(each, texts)}</bdi>)}
        <span className="small soft">
          <ExplorerLink kind="tx" id={entry.hash} chain={chain.hexId}>
            <RelativeTime at={at} />
          </ExplorerLink>
        </span>
      </span>
    </li>
  );
}

function approvalText(approval: ApprovalChange, texts: Translator): string {
  const name = approval.token_symbol || approval.token_name;
  return approval.is_revoked ? name.slice(0, 24) : approvalAmount(approval, name, texts);
}

function MovementAmount({ movement }: { movement: Movement }) {
  const { language } = useTranslation();
  const { direction, amount, decimals, tokenId, symbol } = movement;
  const sign = direction === "receive" ? "+" : "−";
  const name = symbol.slice(0, 16);
  if (tokenId !== null) {
    return (
      <span title={`${symbol.slice(0, 80)} #${tokenId}`}>
        {sign}
        {amount > 1n && `${formatExactAmount(amount, 0, language)} × `}
        <bdi>{name}</bdi> <bdi className="soft">#{tokenId.slice(0, 12)}</bdi>
      </span>
    );
  }
  return (
    <span title={`${formatExactAmount(amount, decimals, language)} ${name}`}>
      {formatSignedAmount(sign, amount, decimals, language)} <bdi className="soft">{name}</bdi>
    </span>
  );
}
