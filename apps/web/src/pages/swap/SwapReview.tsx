import {
  Address,
  Button,
  Detail,
  DetailList,
  EmptyState,
  QueryState,
  SkeletonList,
  Stepper,
  useTranslation,
} from "@purse/ui";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { formatAmount, formatExactAmount, parseExactAmount } from "../../money/amount.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { type AppChain, chainName } from "../../settings.ts";
import { AllowanceNotice } from "../../wallet/AllowanceNotice.tsx";
import { checksumOf } from "../../wallet/checksum.ts";
import { ConfirmTransaction } from "../send/ConfirmTransaction.tsx";
import type { Sendable } from "../send/sendable.ts";
import { ConfirmCalls } from "./ConfirmCalls.tsx";
import { QuoteDetails } from "./QuoteDetails.tsx";
import { type Order, orderKind } from "./quote.ts";
import { readQuote, readSwapCalls } from "./readQuote.ts";
import { slippageOf } from "./slippage.ts";
import { findTokens } from "./swapTokens.ts";
import { useCanBatch } from "./useCanBatch.ts";

export interface SwapReviewProps {
  account: string;
  chain: AppChain;
  items: readonly Sendable[];
}

/** Reviews a swap: first the approval, if one is missing, then the swap, each simulated before it is sent. */
export function SwapReview({ account, chain, items }: SwapReviewProps) {
  const { t } = useTranslation();
  const search = useSearch({ from: "/swap" });
  const navigate = useNavigate({ from: "/swap" });
  const from = items.find(({ key }) => key === (search.from ?? "native").toLowerCase());
  const known = items.find(({ key }) => key === search.to?.toLowerCase());
  const isUnknown = known === undefined && search.to !== undefined;
  const found = useServerQuery({
    queryKey: isUnknown ? ["token", chain.hexId, search.to] : undefined,
    queryFn: (options) => findTokens(search.to ?? "", chain, options),
  });
  const to = known ?? found.data?.find(({ key }) => key === search.to?.toLowerCase());
  const amount = from && parseExactAmount(search.amount ?? "", from.decimals);
  const kind = from && to && orderKind({ from: from.contract, to: to.contract }, chain.wrappedNative);
  const goBack = () => void navigate({ search: (before) => ({ ...before, step: undefined }) });
  if (isUnknown && found.data === undefined && found.error === null)
    return <SkeletonList rows={4} label={t("Loading quote…")} />;
  if (!from || !to || !amount || !kind) {
    return <EmptyState title={t("Incomplete swap")} action={<Button onClick={goBack}>{t("Edit")}</Button>} />;
  }
  return <Steps {...{ account, chain, from, to, amount, kind, goBack }} coin={items[0]} />;
}

interface StepsProps {
  account: string;
  chain: AppChain;
  from: Sendable;
  to: Sendable;
  /** The coin that pays the fee. */
  coin: Sendable | undefined;
  amount: bigint;
  kind: NonNullable<ReturnType<typeof orderKind>>;
  goBack: () => void;
}

function Steps({ account, chain, from, to, coin, amount, kind, goBack }: StepsProps) {
  const { t, language } = useTranslation();
  const search = useSearch({ from: "/swap" });
  const navigate = useNavigate({ from: "/swap" });
  const slippage = Number(slippageOf(search.slippage));
  const order: Order = { chain: chain.hexId, from: from.contract, to: to.contract, amount };
  const key = [chain.hexId, order.from, order.to, String(amount), slippage, account];
  const quote = useServerQuery({
    queryKey: ["quote for review", ...key],
    queryFn: async (options) => ({
      quote: await readQuote(order, kind, options),
      calls: await readSwapCalls({ order, kind, account, slippage, wrappedNative: chain.wrappedNative }),
    }),
    isUncached: true,
  });
  const batching = useCanBatch(account, chain);
  const verb = kind === "wrap" ? t("Wrap") : kind === "unwrap" ? t("Unwrap") : t("Swap");
  const paid = `${formatExactAmount(amount, from.decimals, language)} ${from.unit}`;
  return (
    <section className="stack" aria-labelledby="review">
      <h2 id="review">{t("Review")}</h2>
      <QueryState
        query={quote}
        label={t("Loading quote…")}
        skeleton={<SkeletonList rows={4} label={t("Loading quote…")} />}
      >
        {({ quote: current, calls }) => {
          const [next] = calls;
          const approvals = calls.filter((call) => call.kind === "approve").length;
          const isBatch = approvals > 0 && batching.canBatch;
          const swapLabel = `${verb} ${paid} → ${formatAmount(current?.amountOut ?? 0n, to.decimals, language)} ${to.unit}`;
          return (
            <>
              {kind === "pool" && from.contract !== null && !isBatch && (
                <Stepper
                  steps={[
                    {
                      label: t("Approve {unit}", { unit: from.unit }),
                      state: approvals > 0 ? "now" : "done",
                    },
                    { label: t("Swap"), state: approvals > 0 ? "todo" : "now" },
                  ]}
                />
              )}
              <DetailList className="review">
                <Detail label={t("You pay")} className="total number exact">
                  <bdi>{paid}</bdi>
                </Detail>
                <Detail label={t("Network")}>{chainName(chain, t)}</Detail>
                {to.contract && (
                  <Detail label={t("Token")}>
                    <Address address={checksumOf(to.contract)} />
                  </Detail>
                )}
              </DetailList>
              <QuoteDetails quote={current} {...{ from, to, amount, slippage }} />
              {next?.kind === "approve" && (
                <AllowanceNotice data={next.data} decimals={from.decimals} symbol={from.unit} />
              )}
              {isBatch ? (
                <ConfirmCalls
                  account={account}
                  chain={chain}
                  calls={calls}
                  callKey={`swap together/${key.join("/")}/${calls.map(({ data }) => data).join("/")}`}
                  items={[from, to]}
                  problem={amount > from.balance ? t("Insufficient balance") : undefined}
                  back={{ label: t("Edit"), go: goBack }}
                  onSeparate={batching.refuse}
                  onSent={(id) =>
                    navigate({
                      search: (before) => ({ ...before, chain: chain.hexId, calls: id, step: undefined }),
                      replace: true,
                    })
                  }
                />
              ) : (
                <ConfirmTransaction
                  key={next?.kind}
                  account={account}
                  chain={chain}
                  callKey={next && current ? `swap/${key.join("/")}/${next.kind}/${next.data}` : undefined}
                  prepareCall={async () => {
                    if (!next) throw new Error("The swap is incomplete.");
                    return { to: next.to, data: next.data, value: next.value };
                  }}
                  label={next?.kind === "approve" ? t("Approve {unit}", { unit: from.unit }) : swapLabel}
                  action={next?.kind === "approve" ? t("Approve {unit}", { unit: from.unit }) : verb}
                  {...(next?.kind === "swap" && { item: from, amount })}
                  otherItems={[to]}
                  coin={coin}
                  problem={amount > from.balance ? t("Insufficient balance") : undefined}
                  back={{ label: t("Edit"), go: goBack }}
                  onSent={(hash) =>
                    navigate({
                      search: (before) => ({
                        ...before,
                        chain: chain.hexId,
                        tx: hash,
                        sent: next?.kind === "approve" ? "approve" : undefined,
                      }),
                      replace: true,
                    })
                  }
                />
              )}
            </>
          );
        }}
      </QueryState>
    </section>
  );
}
