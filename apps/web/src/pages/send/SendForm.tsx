import { useMoralis } from "@purse/react";
import { Button, FailedRead, Field, TextArea, useTranslation } from "@purse/ui";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { BookUser } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import {
  amountProblem,
  exactAmount,
  formatAmount,
  formatExactAmount,
  formatInputAmount,
  parseAmount,
  parseExactAmount,
} from "../../money/amount.ts";
import { amountForFiat, FIAT_DECIMALS, fiatValue, formatFiat } from "../../money/fiat.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";
import { AddressBook } from "./AddressBook.tsx";
import { AssetPicker } from "./AssetPicker.tsx";
import { maxFeeFor, readFees } from "./fees.ts";
import { RecipientChoices } from "./RecipientChoices.tsx";
import { RecipientNotes } from "./RecipientNotes.tsx";
import type { Sendable } from "./sendable.ts";
import type { useAddressBook } from "./useAddressBook.ts";
import { useRecipient } from "./useRecipient.ts";

/** Gas of a plain transfer, and an estimate for transfers to contracts. */
const PLAIN_GAS = 21_000n;
const CONTRACT_GAS = 90_000n;

/** Formats USD, rounded down so that users never send more than they see. */
function formatDollars(usd: number, locale: string): string {
  return formatInputAmount(BigInt(Math.floor(usd * 100)), 2, locale);
}

/** The amount in the URL, formatted for the locale; invalid amounts stay as they are. */
function initialAmount(fromUrl: string | undefined, decimals: number, locale: string): string {
  const amount = parseExactAmount(fromUrl ?? "", decimals);
  return amount === undefined ? (fromUrl ?? "") : formatInputAmount(amount, decimals, locale);
}

export interface SendFormProps {
  account: string;
  chain: AppChain;
  item: Sendable;
  items: readonly Sendable[];
  book: ReturnType<typeof useAddressBook>;
}

/** The form for asset, recipient and amount. */
export function SendForm({ account, chain, item, items, book }: SendFormProps) {
  const { t, language } = useTranslation();
  const { provider, chainId } = useMoralis();
  const search = useSearch({ from: "/send" });
  const navigate = useNavigate({ from: "/send" });
  const [to, setTo] = useState(search.to ?? "");
  const [text, setText] = useState(() => initialAmount(search.amount, item.decimals, language));
  const [prefersFiat, setPrefersFiat] = useState(false);
  const [wasSubmitted, setWasSubmitted] = useState(false);
  const [isBookOpen, setIsBookOpen] = useState(false);
  const recipient = useRecipient(to, book, account, chain);
  const fees = useServerQuery({
    queryKey: provider && chainId === chain.hexId ? ["fees", account, chain.hexId] : undefined,
    queryFn: () => (provider ? readFees(provider) : Promise.reject(new Error("Wallet disconnected"))),
    isUncached: true,
  });
  const { unit, decimals, balance, usdPrice } = item;
  const isSingle = item.type === "erc721";
  const isFiat = prefersFiat && usdPrice !== null;
  const parsed = parseAmount(text, isFiat ? FIAT_DECIMALS : decimals, language);
  const amount = isSingle ? 1n : amountOf();
  const available = { amount: formatAmount(balance, decimals, language), unit };
  const balanceText = t("Balance: {amount} {unit}", available);
  const problem =
    amount === undefined
      ? amountProblem("reason" in parsed ? parsed : { reason: "invalid" }, decimals, t)
      : amount === 0n
        ? t("Enter an amount greater than 0.")
        : amount > balance
          ? t("Insufficient balance: {amount} {unit} available", available)
          : undefined;
  const gas = recipient.isContract ? CONTRACT_GAS : PLAIN_GAS;
  const reserve =
    item.type !== "native" ? 0n : fees.data ? maxFeeFor(gas, "fast", fees.data.tiers) : undefined;
  const maxAmount = reserve === undefined || balance <= reserve ? undefined : balance - reserve;
  const isOtherChain = chainId !== chain.hexId;

  function amountOf(): bigint | undefined {
    if ("reason" in parsed) return undefined;
    return isFiat && usdPrice !== null ? amountForFiat(parsed.value, decimals, usdPrice) : parsed.value;
  }

  function choose(key: string) {
    setText("");
    void navigate({
      search: (before) => ({
        ...before,
        asset: key === "native" ? undefined : key,
        to: to || undefined,
        amount: undefined,
      }),
      replace: true,
    });
  }
  /** The input, for the URL: it survives a reload and going back. */
  function typed() {
    // What is not an amount stays as it is; "1.500" in German would be read back as another one.
    const invalid = parseExactAmount(text.trim(), decimals) === undefined ? text.trim() : "";
    const exact = amount === undefined ? invalid : exactAmount(amount, decimals);
    return { to: to.trim() || undefined, amount: isSingle ? undefined : exact || undefined };
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed is saved, as the URL follows it
  useEffect(() => {
    const next = typed();
    if (next.to === search.to && next.amount === search.amount) return;
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false });
  }, [to, text]);
  function review(event: FormEvent) {
    event.preventDefault();
    setWasSubmitted(true);
    if (recipient.problem || recipient.isResolving || !recipient.address || problem || isOtherChain) return;
    if (amount === undefined) return;
    void navigate({ search: (before) => ({ ...before, ...typed(), chain: chain.hexId, step: "review" }) });
  }
  const equivalent =
    usdPrice === null || amount === undefined
      ? undefined
      : isFiat
        ? `${formatAmount(amount, decimals, language)} ${unit}`
        : formatFiat(fiatValue(amount, decimals, usdPrice), language);
  return (
    <form className="stack" onSubmit={review} noValidate aria-label={t("Send")}>
      <AssetPicker items={items} item={item} onChoose={({ key }) => choose(key)} />
      <div className="recipient mono-field">
        <TextArea
          label={t("Recipient")}
          value={to}
          rows={1}
          // One line of text, which wraps so that the whole address can be read.
          onText={(text) => setTo(text.replace(/[\r\n]+/g, ""))}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
          placeholder={t("0x… or a name such as ada.eth")}
          isCode
          problem={wasSubmitted ? recipient.problem : undefined}
          hint={recipient.isResolving ? t("Resolving name…") : undefined}
          after={
            <Button
              disabled={!book.isOpen}
              title={book.isOpen ? undefined : t("Sign in to use the address book.")}
              onClick={() => setIsBookOpen(true)}
            >
              <BookUser size={18} aria-hidden="true" />
              <span className="visually-hidden">{t("Address book")}</span>
            </Button>
          }
        />
      </div>
      <RecipientChoices
        contacts={book.contacts}
        recents={recipient.isLoadingRecents ? undefined : recipient.recents}
        chain={chain.hexId}
        text={recipient.address && recipient.name === to.trim() ? recipient.address : to}
        onChoose={setTo}
      />
      <RecipientNotes recipient={recipient} account={account} item={item} />
      {!isSingle && (
        <Field
          label={isFiat ? t("Amount (USD)") : t("Amount ({unit})", { unit })}
          value={text}
          onText={setText}
          inputMode="decimal"
          autoComplete="off"
          problem={wasSubmitted || "readings" in parsed ? problem : undefined}
          hint={
            <>
              {balanceText} {equivalent && <span className="number">≈ {equivalent}</span>}
            </>
          }
          after={
            <>
              {usdPrice !== null && (
                <Button
                  aria-pressed={isFiat}
                  onClick={() => {
                    setPrefersFiat(!isFiat);
                    // Converts the amount to the other unit.
                    if (amount === undefined) setText("");
                    else
                      setText(
                        isFiat
                          ? formatInputAmount(amount, decimals, language)
                          : formatDollars(fiatValue(amount, decimals, usdPrice), language),
                      );
                  }}
                >
                  {isFiat ? unit : "$"}
                  <span className="visually-hidden">{t("Switch currency")}</span>
                </Button>
              )}
              <Button
                disabled={maxAmount === undefined}
                onClick={() => {
                  if (maxAmount === undefined) return;
                  setPrefersFiat(false);
                  setText(formatInputAmount(maxAmount, decimals, language));
                }}
              >
                {t("Max")}
              </Button>
            </>
          }
        />
      )}
      {item.type === "native" && (
        <FailedRead query={fees}>{t("Network fee unavailable, so Max is disabled")}</FailedRead>
      )}
      {item.type === "native" && text !== "" && maxAmount !== undefined && amount === maxAmount && (
        <p className="small soft">
          {t("{fee} {unit} reserved for the network fee", {
            fee: formatExactAmount(balance - maxAmount, decimals, language),
            unit,
          })}
        </p>
      )}
      <Button type="submit" variant="primary" disabled={isOtherChain}>
        {isOtherChain ? t("Switch network to continue") : t("Review")}
      </Button>
      {isBookOpen && (
        <AddressBook
          book={book}
          typedAddress={recipient.address ?? to}
          onChoose={(address) => {
            setTo(address);
            setIsBookOpen(false);
          }}
          onClose={() => setIsBookOpen(false)}
        />
      )}
    </form>
  );
}
