import { transferCall } from "@purse/client";
import { Address, Button, Detail, DetailList, EmptyState, SkeletonList, useTranslation } from "@purse/ui";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { parseExactAmount } from "../../money/amount.ts";
import { fiatValue, formatFiat } from "../../money/fiat.ts";
import { type AppChain, chainName } from "../../settings.ts";
import { SmartAccount } from "../../wallet/SmartAccount.tsx";
import { useChecksum } from "../../wallet/useChecksum.ts";
import { ConfirmTransaction } from "./ConfirmTransaction.tsx";
import { RecipientNotes } from "./RecipientNotes.tsx";
import { formatSendAmount, type Sendable, transferOf } from "./sendable.ts";
import type { useAddressBook } from "./useAddressBook.ts";
import { useRecipient } from "./useRecipient.ts";

export interface ReviewProps {
  account: string;
  chain: AppChain;
  item: Sendable;
  book: ReturnType<typeof useAddressBook>;
  /** The coin that pays the fee. */
  coin: Sendable | undefined;
}

/** Reviews a transfer with its exact amount, simulation and fee before it is sent. */
export function Review({ account, chain, item, book, coin }: ReviewProps) {
  const { t, language } = useTranslation();
  const search = useSearch({ from: "/send" });
  const navigate = useNavigate({ from: "/send" });
  const checksumOf = useChecksum();
  const recipient = useRecipient(search.to ?? "", book, account, chain);
  const amount = item.type === "erc721" ? 1n : parseExactAmount(search.amount ?? "", item.decimals);
  const goBack = () => void navigate({ search: (before) => ({ ...before, step: undefined }) });

  if (recipient.isResolving) return <SkeletonList rows={4} label={t("Resolving name…")} />;
  if (!recipient.address || amount === undefined || amount === 0n) {
    return (
      <EmptyState title={t("Incomplete transaction")} action={<Button onClick={goBack}>{t("Edit")}</Button>}>
        {recipient.problem ?? t("Invalid amount.")}
      </EmptyState>
    );
  }
  const { address: receiver } = recipient;
  const exceedsBalance = amount > item.balance;
  return (
    <section className="stack" aria-labelledby="review">
      <h2 id="review">{t("Review")}</h2>
      <DetailList className="review">
        <Detail label={t("Amount")} className="total number exact">
          <bdi>{formatSendAmount(item, amount, language)}</bdi>
          {item.usdPrice !== null && (
            <span className="worth soft">
              {formatFiat(fiatValue(amount, item.decimals, item.usdPrice), language)}
            </span>
          )}
        </Detail>
        {item.contract && (
          <Detail label={t("Token")}>
            <Address address={checksumOf(item.contract)} />
            {item.tokenId !== null && <span className="exact number">#{item.tokenId}</span>}
          </Detail>
        )}
        <Detail label={t("To")}>
          {recipient.name && <bdi className="strong">{recipient.name.slice(0, 80)}</bdi>}
          <Address address={recipient.address} />
        </Detail>
        <Detail label={t("From")}>
          <Address address={checksumOf(account)} />
          <SmartAccount account={account} chain={chain} />
        </Detail>
        <Detail label={t("Network")}>{chainName(chain, t)}</Detail>
      </DetailList>
      <RecipientNotes recipient={{ ...recipient, name: undefined }} account={account} item={item} />
      <ConfirmTransaction
        account={account}
        chain={chain}
        callKey={`send/${receiver}/${amount}/${item.key}`}
        prepareCall={async () => {
          const { from, ...call } = await transferCall(transferOf(item, receiver, amount));
          return call;
        }}
        label={t("Send {what}", { what: formatSendAmount(item, amount, language) })}
        action={t("Send {unit}", { unit: item.tokenId === null ? item.unit : t("NFT") })}
        item={item}
        coin={coin}
        amount={amount}
        problem={exceedsBalance ? t("Insufficient balance") : undefined}
        onSent={(tx) => navigate({ search: { tx, chain: chain.hexId }, replace: true })}
        back={{ label: t("Edit"), go: goBack }}
      />
    </section>
  );
}
