import { useMoralis } from "@purse/react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { BookUser } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "../../design/Button.tsx";
import { Select } from "../../design/Choice.tsx";
import { Field } from "../../design/Field.tsx";
import { displayAmount, exactAmount, parseAmount } from "../../money/amount.ts";
import { boughtBy, displayFiat, worth } from "../../money/fiat.ts";
import type { AppChain } from "../../settings.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { useAsk } from "../../wallet/useAsk.ts";
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
function dollarsText(usd: number): string {
  return (Math.floor(usd * 100) / 100).toFixed(2);
}

export interface SendFormProps {
  account: string;
  chain: AppChain;
  item: Sendable;
  items: readonly Sendable[];
  book: ReturnType<typeof useAddressBook>;
}

/** What, to whom, how much. */
export function SendForm({ account, chain, item, items, book }: SendFormProps) {
  const { t, language } = useTexts();
  const { provider, chainId } = useMoralis();
  const search = useSearch({ from: "/send" });
  const navigate = useNavigate({ from: "/send" });
  const [to, setTo] = useState(search.to ?? "");
  const [text, setText] = useState(search.amount ?? "");
  const [inFiat, setInFiat] = useState(false);
  const [tried, setTried] = useState(false);
  const [isBookOpen, setIsBookOpen] = useState(false);
  const recipient = useRecipient(to, book.contacts, account, chain);
  const fees = useAsk(provider && chainId === chain.hexId ? `fees ${chain.hexId}` : undefined, () =>
    provider ? readFees(provider) : Promise.reject(new Error("The wallet is gone")),
  );
  const { unit, decimals, balance, usdPrice } = item;
  const isSingle = item.type === "erc721";
  const fiat = inFiat && usdPrice !== null;
  const amount = isSingle ? 1n : fiat ? boughtBy(text, decimals, usdPrice) : parseAmount(text, decimals);
  const have = t("You have {amount} {unit}.", {
    amount: displayAmount(balance, decimals, language),
    unit,
  });
  const amountProblem =
    amount === undefined
      ? decimals === 0
        ? t("Enter a whole number, such as 2.")
        : t("Enter an amount, such as 1.5 (up to {n} decimals).", { n: decimals })
      : amount === 0n
        ? t("Enter more than nothing.")
        : amount > balance
          ? have
          : undefined;
  const gas = recipient.isContract ? CONTRACT_GAS : PLAIN_GAS;
  const reserve = item.type !== "native" ? 0n : fees.data ? mostFor(gas, "fast", fees.data.tiers) : undefined;
  const most = reserve === undefined || balance <= reserve ? undefined : balance - reserve;
  const isOtherChain = chainId !== chain.hexId;

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
    if (recipient.problem || recipient.isResolving || !recipient.address || amountProblem || isOtherChain)
      return;
    if (amount === undefined) return;
    const typed = { to: to.trim(), amount: isSingle ? undefined : exactAmount(amount, decimals) };
    void (async () => {
      // First what is typed, so that going back finds it; then the next step.
      await navigate({ search: (before) => ({ ...before, ...typed }), replace: true });
      await navigate({ search: (before) => ({ ...before, ...typed, chain: chain.hexId, step: "review" }) });
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
          problem={tried ? amountProblem : undefined}
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
                        fiat ? exactAmount(amount, decimals) : dollarsText(worth(amount, decimals, usdPrice)),
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
                  setText(exactAmount(most, decimals));
                }}
              >
                {t("Max")}
              </Button>
            </>
          }
        />
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
