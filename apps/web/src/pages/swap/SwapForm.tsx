import { useMoralis } from "@purse/react";
import {
  Button,
  Field,
  formatPercent,
  IconButton,
  Notice,
  QueryState,
  Select,
  Skeleton,
  useTranslation,
} from "@purse/ui";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowUpDown } from "lucide-react";
import { type FormEvent, useDeferredValue, useState } from "react";
import {
  amountProblem,
  exactAmount,
  formatAmount,
  formatInputAmount,
  parseAmount,
  parseExactAmount,
} from "../../money/amount.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";
import { AssetPicker } from "../send/AssetPicker.tsx";
import type { Sendable } from "../send/sendable.ts";
import { QuoteDetails } from "./QuoteDetails.tsx";
import { type Order, orderKind } from "./quote.ts";
import { readQuote } from "./readQuote.ts";
import { SLIPPAGES, slippageOf } from "./slippage.ts";
import { findTokens } from "./swapTokens.ts";

/** How often a quote is read again, in ms. */
const QUOTE_INTERVAL_MS = 15_000;
/** Gas of a swap, kept back when all coins are swapped: 300,000 at 3 gwei or less on the usual chains. */
const RESERVED_WEI = 2_000_000_000_000_000n;

export interface SwapFormProps {
  chain: AppChain;
  items: readonly Sendable[];
  hasDex: boolean;
}

/** The form for both assets and the amount, with the current quote. */
export function SwapForm({ chain, items, hasDex }: SwapFormProps) {
  const { t, language } = useTranslation();
  const { chainId } = useMoralis();
  const search = useSearch({ from: "/swap" });
  const navigate = useNavigate({ from: "/swap" });
  const itemOf = (key: string | undefined) => items.find((each) => each.key === key?.toLowerCase());
  const [coin] = items;
  const from = itemOf(search.from ?? "native") ?? coin;
  const [found, setFound] = useState<Sendable>();
  const to =
    itemOf(search.to) ??
    (found?.key === search.to ? found : undefined) ??
    items.find(({ key }) => key !== from?.key && key === chain.wrappedNative);
  const [text, setText] = useState(() => {
    const amount = parseExactAmount(search.amount ?? "", from?.decimals ?? 18);
    return amount === undefined ? "" : formatInputAmount(amount, from?.decimals ?? 18, language);
  });
  const [wasSubmitted, setWasSubmitted] = useState(false);
  const slippage = slippageOf(search.slippage);
  const parsed = parseAmount(text, from?.decimals ?? 18, language);
  const amount = "value" in parsed ? parsed.value : undefined;
  const deferred = useDeferredValue(amount);
  const kind = from && to && orderKind({ from: from.contract, to: to.contract }, chain.wrappedNative);
  const order: Order | undefined =
    from && to && deferred
      ? { chain: chain.hexId, from: from.contract, to: to.contract, amount: deferred }
      : undefined;
  const canQuote = order !== undefined && kind !== undefined && (kind !== "pool" || hasDex);
  const quote = useServerQuery({
    queryKey: canQuote ? ["quote", chain.hexId, order.from, order.to, String(order.amount)] : undefined,
    queryFn: (options) => (order && kind ? readQuote(order, kind, options) : Promise.resolve(null)),
    refetchIntervalMs: QUOTE_INTERVAL_MS,
    isUncached: true,
  });
  if (!from) return null;
  const isOtherChain = chainId !== chain.hexId;
  const available = { amount: formatAmount(from.balance, from.decimals, language), unit: from.unit };
  const problem =
    amount === undefined
      ? amountProblem("reason" in parsed ? parsed : { reason: "invalid" }, from.decimals, t)
      : amount === 0n
        ? t("Enter an amount greater than 0.")
        : amount > from.balance
          ? t("Insufficient balance: {amount} {unit} available", available)
          : undefined;
  const reserve = from.contract === null ? RESERVED_WEI : 0n;
  const maxAmount = from.balance > reserve ? from.balance - reserve : undefined;

  function choose(next: { from?: string; to?: string }) {
    const keys = { from: from?.key, to: to?.key, ...next };
    // Choosing the other side's asset swaps both sides.
    if (next.from !== undefined && next.from === to?.key) keys.to = from?.key;
    if (next.to !== undefined && next.to === from?.key) keys.from = to?.key;
    void navigate({
      search: (before) => ({
        ...before,
        from: keys.from === "native" ? undefined : keys.from,
        to: keys.to,
        amount: undefined,
      }),
      replace: true,
    });
  }
  /** The amount survives a reload and going back. */
  function saveToUrl() {
    const typed = amount === undefined || !from ? undefined : exactAmount(amount, from.decimals);
    if (typed === undefined || typed === search.amount) return;
    void navigate({
      search: (before) => ({ ...before, amount: typed }),
      replace: true,
      resetScroll: false,
    });
  }
  function review(event: FormEvent) {
    event.preventDefault();
    setWasSubmitted(true);
    if (problem || amount === undefined || !quote.data || isOtherChain || !to || !from) return;
    const next = { amount: exactAmount(amount, from.decimals), to: to.key, chain: chain.hexId };
    void (async () => {
      // Saves the input first, so that going back restores it.
      await navigate({ search: (before) => ({ ...before, ...next }), replace: true });
      await navigate({ search: (before) => ({ ...before, ...next, step: "review" }) });
    })();
  }
  return (
    <form className="stack" onSubmit={review} onBlur={saveToUrl} noValidate aria-label={t("Swap")}>
      <AssetPicker
        label={t("You pay")}
        items={items.filter(({ balance, contract }) => balance > 0n || contract === null)}
        item={from}
        onChoose={({ key }) => choose({ from: key })}
      />
      <Field
        label={t("Amount ({unit})", { unit: from.unit })}
        value={text}
        onText={setText}
        inputMode="decimal"
        autoComplete="off"
        problem={wasSubmitted || "readings" in parsed ? problem : undefined}
        hint={t("Balance: {amount} {unit}", available)}
        after={
          <Button
            disabled={maxAmount === undefined}
            onClick={() =>
              maxAmount !== undefined && setText(formatInputAmount(maxAmount, from.decimals, language))
            }
          >
            {t("Max")}
          </Button>
        }
      />
      <div>
        <IconButton
          icon={ArrowUpDown}
          label={t("Switch both assets")}
          disabled={!to}
          onClick={() => to && choose({ from: to.key })}
        />
      </div>
      <AssetPicker
        label={t("You receive")}
        items={items}
        item={to}
        find={hasDex ? (name, options) => findTokens(name, chain, options) : undefined}
        onChoose={(item) => {
          setFound(item);
          choose({ to: item.key });
        }}
      />
      {kind === "pool" && (
        <Select
          label={t("Max. slippage")}
          options={SLIPPAGES.map((key) => ({ key, label: formatPercent(Number(key) / 100, language, 1) }))}
          value={slippage}
          onChange={(chosen) =>
            void navigate({
              search: (before) => ({ ...before, slippage: chosen === "0.5" ? undefined : chosen }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      )}
      {kind === "pool" && !hasDex ? (
        <Notice kind="info" title={t("No exchange is configured")}>
          {t("Without the plugin for exchanges, this server can only wrap and unwrap the chain's coin.")}
        </Notice>
      ) : (
        canQuote &&
        to && (
          <QueryState query={quote} label={t("Loading quote…")} skeleton={<Skeleton height="7rem" />}>
            {(data) => (
              <QuoteDetails
                quote={data}
                from={from}
                to={to}
                amount={order.amount}
                slippage={Number(slippage)}
              />
            )}
          </QueryState>
        )
      )}
      <Button
        type="submit"
        variant="primary"
        disabled={isOtherChain || !to || (amount !== undefined && !quote.data)}
      >
        {isOtherChain ? t("Switch network to continue") : t("Review")}
      </Button>
    </form>
  );
}
