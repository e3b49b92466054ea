import { useMoralis } from "@purse/react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { BookUser } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "../../design/Button.tsx";
import { Select } from "../../design/Choice.tsx";
import { Field } from "../../design/Field.tsx";
import { FailedRead, type QueryResult } from "../../design/QueryState.tsx";
import {
  amountProblem,
  displayAmount,
  exactAmount,
  inputAmount,
  parseAmount,
  parseExactAmount,
} from "../../money/amount.ts";
import { decimalSeparator } from "../../money/decimal.ts";
import { boughtBy, displayFiat, FIAT_DECIMALS, worth } from "../../money/fiat.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { AddressBook } from "./AddressBook.tsx";
import { mostFor, readFees } from "./fees.ts";
import { RecipientNotes } from "./RecipientNotes.tsx";
import type { Sendable } from "./sendable.ts";
import type { useAddressBook } from "./useAddressBook.ts";
import { useRecipient } from "./useRecipient.ts";

/** What a plain transfer takes; to a contract it can be more. */
const PLAIN_GAS = 21_000n;
const CONTRACT_GAS = 90_000n;

/** Rounded down: nobody shall send more than was typed. */
function dollarsText(usd: number, locale: string): string {
  return (Math.floor(usd * 100) / 100).toFixed(2).replace(".", decimalSeparator(locale));
}

/** What the address bar has, as the reader's locale writes it; what is no exact amount stays as it is. */
function amountText(fromUrl: string | undefined, decimals: number, locale: string): string {
  const amount = parseExactAmount(fromUrl ?? "", decimals);
  return amount === undefined ? (fromUrl ?? "") : inputAmount(amount, decimals, locale);
}

export interface SendFormProps {
  account: string;
  chain: AppChain;
  item: Sendable;
  items: readonly Sendable[];
  /** How these were read. */
  owned: QueryResult<unknown>;
  book: ReturnType<typeof useAddressBook>;
}

/** What, to whom, how much. */
export function SendForm({ account, chain, item, items, owned, book }: SendFormProps) {
  const { t, language } = useTexts();
  const { provider, chainId } = useMoralis();
  const search = useSearch({ from: "/send" });
  const navigate = useNavigate({ from: "/send" });
  const [to, setTo] = useState(search.to ?? "");
  const [text, setText] = useState(() => amountText(search.amount, item.decimals, language));
  const [inFiat, setInFiat] = useState(false);
  const [tried, setTried] = useState(false);
  const [isBookOpen, setIsBookOpen] = useState(false);
  const recipient = useRecipient(to, book, account, chain);
  const fees = useServerQuery({
    key: provider && chainId === chain.hexId ? ["fees", account, chain.hexId] : undefined,
    read: () => (provider ? readFees(provider) : Promise.reject(new Error("The wallet is gone"))),
    isFresh: true,
  });
  const { unit, decimals, balance, usdPrice } = item;
  const isSingle = item.type === "erc721";
  const fiat = inFiat && usdPrice !== null;
  const typed = parseAmount(text, fiat ? FIAT_DECIMALS : decimals, language);
  const amount = isSingle ? 1n : amountOf();
  const have = t("You have {amount} {unit}.", {
    amount: displayAmount(balance, decimals, language),
    unit,
  });
  const problem =
    amount === undefined
      ? amountProblem("refusal" in typed ? typed : { refusal: "invalid" }, decimals, t)
      : amount === 0n
        ? t("Enter more than nothing.")
        : amount > balance
          ? have
          : undefined;
  const gas = recipient.isContract ? CONTRACT_GAS : PLAIN_GAS;
  const reserve = item.type !== "native" ? 0n : fees.data ? mostFor(gas, "fast", fees.data.tiers) : undefined;
  const most = reserve === undefined || balance <= reserve ? undefined : balance - reserve;
  const isOtherChain = chainId !== chain.hexId;

  function amountOf(): bigint | undefined {
    if ("refusal" in typed) return undefined;
    return fiat && usdPrice !== null ? boughtBy(typed.value, decimals, usdPrice) : typed.value;
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
  function review(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if (recipient.problem || recipient.isResolving || !recipient.address || problem || isOtherChain) return;
    if (amount === undefined) return;
    const next = { to: to.trim(), amount: isSingle ? undefined : exactAmount(amount, decimals) };
    void (async () => {
      // First what is typed, so that going back finds it; then the next step.
      await navigate({ search: (before) => ({ ...before, ...next }), replace: true });
      await navigate({ search: (before) => ({ ...before, ...next, chain: chain.hexId, step: "review" }) });
    })();
  }
  const other =
    usdPrice === null || amount === undefined
      ? undefined
      : fiat
        ? `${displayAmount(amount, decimals, language)} ${unit}`
        : displayFiat(worth(amount, decimals, usdPrice), language);
  return (
    <form className="stack" onSubmit={review} noValidate aria-label={t("Send")}>
      <Select
        label={t("What")}
        options={items.map(({ key, label }) => ({ key, label }))}
        value={item.key}
        onChange={choose}
      />
      <Field
        label={t("Recipient")}
        value={to}
        onChange={(event) => setTo(event.target.value)}
        placeholder={t("0x… or a name, as ada.eth")}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        problem={tried ? recipient.problem : undefined}
        hint={recipient.isResolving ? t("Looking the name up …") : undefined}
        after={
          <Button
            disabled={!book.isOpen}
            title={book.isOpen ? undefined : t("Sign in to keep an address book.")}
            onClick={() => setIsBookOpen(true)}
          >
            <BookUser size={18} aria-hidden="true" />
            <span className="visually-hidden">{t("Address book")}</span>
          </Button>
        }
      />
      <RecipientNotes recipient={recipient} account={account} item={item} />
      {!isSingle && (
        <Field
          label={fiat ? t("Amount in dollars") : t("Amount in {unit}", { unit })}
          value={text}
          onChange={(event) => setText(event.target.value)}
          inputMode="decimal"
          autoComplete="off"
          problem={tried || "readings" in typed ? problem : undefined}
          hint={
            <>
              {have} {other && <span className="number">≈ {other}</span>}
            </>
          }
          after={
            <>
              {usdPrice !== null && (
                <Button
                  aria-pressed={fiat}
                  onClick={() => {
                    setInFiat(!fiat);
                    // The same amount in the other unit, as far as dollars can say it.
                    if (amount === undefined) setText("");
                    else
                      setText(
                        fiat
                          ? inputAmount(amount, decimals, language)
                          : dollarsText(worth(amount, decimals, usdPrice), language),
                      );
                  }}
                >
                  {fiat ? unit : "$"}
                  <span className="visually-hidden">{t("Change the unit of the amount")}</span>
                </Button>
              )}
              <Button
                disabled={most === undefined}
                onClick={() => {
                  if (most === undefined) return;
                  setInFiat(false);
                  setText(inputAmount(most, decimals, language));
                }}
              >
                {t("Max")}
              </Button>
            </>
          }
        />
      )}
      {item.hasPriceFailed && (
        <FailedRead query={{ ...owned, data: undefined, error: owned.error ?? true }}>
          {t("The price could not be read, so amounts are not shown in dollars")}
        </FailedRead>
      )}
      {item.type === "native" && (
        <FailedRead query={fees}>{t("The network fee could not be read, so there is no maximum")}</FailedRead>
      )}
      {item.type === "native" && text !== "" && most !== undefined && amount === most && (
        <p className="small soft">
          {t("{fee} {unit} stay for the network's fee.", {
            fee: exactAmount(balance - most, decimals),
            unit,
          })}
        </p>
      )}
      <Button type="submit" look="primary" disabled={isOtherChain}>
        {isOtherChain ? t("Switch the network first") : t("Review")}
      </Button>
      {isBookOpen && (
        <AddressBook
          book={book}
          typed={recipient.address ?? to}
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
