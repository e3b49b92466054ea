import { type Simulation, sendTransaction, simulate, transferCall } from "@purse/client";
import { useMoralis } from "@purse/react";
import {
  Address,
  Button,
  EmptyState,
  ErrorState,
  Notice,
  QueryState,
  SkeletonList,
  Stepper,
  useTranslation,
} from "@purse/ui";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { exactAmount, formatAmount, parseExactAmount } from "../../money/amount.ts";
import { fiatValue, formatFiat } from "../../money/fiat.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";
import { chainName } from "../../wallet/chains.ts";
import { stepsFor } from "../../wallet/TransactionStatus.tsx";
import { useChecksum } from "../../wallet/useChecksum.ts";
import { useTransactionLog } from "../../wallet/useLoggedTransactions.ts";
import { BalanceChanges } from "./BalanceChanges.tsx";
import { expectedFeeFor, type Fees, formatEta, maxFeeFor, readFees, TIERS, type Tier } from "./fees.ts";
import { RecipientNotes } from "./RecipientNotes.tsx";
import { formatSendAmount, type Sendable, transferOf } from "./sendable.ts";
import type { useAddressBook } from "./useAddressBook.ts";
import { useRecipient } from "./useRecipient.ts";

export interface ReviewProps {
  account: string;
  chain: AppChain;
  item: Sendable;
  book: ReturnType<typeof useAddressBook>;
}

/** Reviews a transfer with its exact amount, simulation and fee before it is sent. */
export function Review({ account, chain, item, book }: ReviewProps) {
  const texts = useTranslation();
  const { t, language } = texts;
  const search = useSearch({ from: "/send" });
  const navigate = useNavigate({ from: "/send" });
  const { provider, chainId } = useMoralis();
  const checksumOf = useChecksum();
  const transactionLog = useTransactionLog();
  const recipient = useRecipient(search.to ?? "", book, account, chain);
  const [tier, setTier] = useState<Tier>("normal");
  const [isWaiting, setIsWaiting] = useState(false);
  const [error, setError] = useState<unknown>();
  const amount = item.type === "erc721" ? 1n : parseExactAmount(search.amount ?? "", item.decimals);
  const isOtherChain = chainId !== chain.hexId;
  const isReady = recipient.address !== undefined && amount !== undefined && amount > 0n && !isOtherChain;
  const preview = useServerQuery({
    queryKey:
      isReady && provider
        ? ["simulation", account, chain.hexId, recipient.address, String(amount), item.key]
        : undefined,
    async queryFn(): Promise<{ simulation: Simulation; fees: Fees }> {
      if (!provider) throw new Error("Wallet disconnected");
      const { from, ...call } = await transferCall(transferOf(item, recipient.address ?? "", amount ?? 0n));
      const [simulation, fees] = await Promise.all([simulate(call), readFees(provider)]);
      return { simulation, fees };
    },
    isUncached: true,
  });
  const goBack = () => void navigate({ search: (before) => ({ ...before, step: undefined }) });

  async function send() {
    if (!recipient.address || amount === undefined) return;
    setIsWaiting(true);
    setError(undefined);
    try {
      const { from, ...call } = await transferCall(transferOf(item, recipient.address, amount));
      const tiers = preview.data?.fees.tiers;
      // Before EIP-1559 the wallet estimates fees better.
      const fees = tiers && tiers.baseFeePerGas !== null ? tiers[tier] : undefined;
      const sent = await sendTransaction(call, { account, chainId: chain.hexId, fees });
      transactionLog.add(
        { ...sent.reference, chainId: sent.reference.chainId ?? chain.hexId },
        t("Send {what}", { what: formatSendAmount(item, amount) }),
      );
      await navigate({ search: { tx: sent.hash, chain: chain.hexId }, replace: true });
    } catch (problem) {
      setError(problem);
    } finally {
      setIsWaiting(false);
    }
  }

  if (recipient.isResolving) return <SkeletonList rows={4} label={t("Resolving name…")} />;
  if (!recipient.address || amount === undefined || amount === 0n) {
    return (
      <EmptyState title={t("Incomplete transaction")} action={<Button onClick={goBack}>{t("Edit")}</Button>}>
        {recipient.problem ?? t("Invalid amount.")}
      </EmptyState>
    );
  }
  const revert = preview.data?.simulation.revert;
  const { symbol, decimals } = chain.nativeCurrency;
  const gas = preview.data?.simulation.gas ?? 21_000n;
  const exceedsBalance = amount > item.balance;
  return (
    <section className="stack" aria-labelledby="review">
      <h2 id="review">{t("Review")}</h2>
      <dl className="review">
        <dt>{t("Amount")}</dt>
        <dd className="total number exact">
          <bdi>{formatSendAmount(item, amount)}</bdi>
          {item.usdPrice !== null && (
            <span className="worth soft">
              {formatFiat(fiatValue(amount, item.decimals, item.usdPrice), language)}
            </span>
          )}
        </dd>
        {item.contract && (
          <>
            <dt>{t("Token")}</dt>
            <dd>
              <Address address={checksumOf(item.contract)} />
              {item.tokenId !== null && <span className="exact number">#{item.tokenId}</span>}
            </dd>
          </>
        )}
        <dt>{t("To")}</dt>
        <dd>
          {recipient.name && <bdi className="strong">{recipient.name.slice(0, 80)}</bdi>}
          <Address address={recipient.address} />
        </dd>
        <dt>{t("From")}</dt>
        <dd>
          <Address address={checksumOf(account)} />
        </dd>
        <dt>{t("Network")}</dt>
        <dd>{chainName(chain)}</dd>
      </dl>
      <RecipientNotes recipient={{ ...recipient, name: undefined }} account={account} item={item} />
      <QueryState
        query={preview}
        label={t("Simulating…")}
        skeleton={<SkeletonList rows={2} label={t("Simulating…")} />}
      >
        {({ simulation, fees: { tiers }, fees }) => (
          <>
            {revert ? (
              <Notice kind="danger" title={t("Simulation failed")}>
                <bdi>{revert.reason.slice(0, 300)}</bdi>
              </Notice>
            ) : (
              <BalanceChanges simulation={simulation} item={item} chain={chain} />
            )}
            <fieldset className="tiers">
              <legend>{t("Network fee")}</legend>
              {TIERS.map((each) => (
                <label key={each} className="tier">
                  <input
                    type="radio"
                    name="tier"
                    checked={tier === each}
                    onChange={() => setTier(each)}
                    disabled={isWaiting}
                  />
                  <span className="strong">{t(TIER_LABELS[each])}</span>
                  <span className="small soft">{formatEta(each, fees, texts)}</span>
                  <span
                    className="small number"
                    title={t("Max. {fee} {unit}", {
                      fee: exactAmount(maxFeeFor(gas, each, tiers), decimals),
                      unit: symbol,
                    })}
                  >
                    {formatAmount(expectedFeeFor(gas, each, tiers), decimals, language)} {symbol}
                  </span>
                </label>
              ))}
            </fieldset>
          </>
        )}
      </QueryState>
      <p className="soft">{t("Transactions can't be reversed. Your wallet sets the final fee.")}</p>
      {exceedsBalance && <Notice kind="danger" title={t("Insufficient balance")} />}
      {isWaiting && <Stepper steps={stepsFor("wallet", 0, t)} />}
      {error !== undefined && <ErrorState error={error} />}
      <div className="row">
        <Button
          variant="primary"
          busy={isWaiting}
          disabled={isOtherChain || exceedsBalance || Boolean(revert) || (!preview.data && !preview.error)}
          onClick={() => void send()}
        >
          {isWaiting
            ? t("Waiting for wallet")
            : t("Send {unit}", { unit: item.tokenId === null ? item.unit : t("NFT") })}
        </Button>
        <Button disabled={isWaiting} onClick={goBack}>
          {t("Edit")}
        </Button>
      </div>
    </section>
  );
}

const TIER_LABELS: Record<Tier, string> = { slow: "Slow", normal: "Normal", fast: "Fast" };
