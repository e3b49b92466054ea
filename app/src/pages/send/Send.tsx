import { useMoralis, useNativeBalance, useTransaction } from "@purse/react";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useState } from "react";
import { Address } from "../design/Address.tsx";
import { Button } from "../design/Button.tsx";
import { CopyButton } from "../design/CopyButton.tsx";
import { Field } from "../design/Field.tsx";
import { Stepper, type StepState } from "../design/Stepper.tsx";
import { EmptyState, ErrorState } from "../design/states.tsx";
import { recipientProblem } from "../money/address.ts";
import { displayAmount, exactAmount, parseAmount } from "../money/amount.ts";
import { useSettings } from "../SettingsContext.tsx";
import { type AppChain, chainByHexId } from "../settings.ts";
import { usePageTitle } from "../usePageTitle.ts";

/** Kept back by "Max" for the fee: 21000 units at 100 gwei. In wei. */
const GAS_RESERVE = 21_000n * 100n * 10n ** 9n;

const RECIPIENT_PROBLEMS = {
  empty: "Enter the address of who shall receive it.",
  shape: "An address is 0x and 40 digits from 0 to 9 and a to f.",
  checksum: "This address has a typing mistake: its capital letters do not fit.",
  zero: "This is the zero address: what is sent there is lost.",
} as const;

export function Send() {
  usePageTitle("Send");
  const { account, chainId, isWeb3Enabled } = useMoralis();
  const { tx } = useSearch({ from: "/send" });
  const settings = useSettings();
  const chain = chainId ? chainByHexId(settings, chainId) : undefined;
  return (
    <div className="narrow">
      <div className="page-head">
        <h1>Send</h1>
      </div>
      <div className="card">
        {tx ? (
          <Following hash={tx} />
        ) : !isWeb3Enabled || !account ? (
          <EmptyState
            title="Connect a wallet first"
            action={
              <Link to="/sign-in" search={{ next: "/send" }} className="button primary">
                Connect a wallet
              </Link>
            }
          >
            Sending needs the wallet that holds the money.
          </EmptyState>
        ) : chain ? (
          <Form account={account} chain={chain} />
        ) : (
          <EmptyState title="The wallet is on another chain">
            Switch it to {settings.chains.map((each) => each.name).join(" or ")}; this server does not follow{" "}
            {chainId}.
          </EmptyState>
        )}
      </div>
    </div>
  );
}

function Form({ account, chain }: { account: string; chain: AppChain }) {
  const { Moralis } = useMoralis();
  const search = useSearch({ from: "/send" });
  const navigate = useNavigate({ from: "/send" });
  const { symbol, decimals } = chain.nativeCurrency;
  const [to, setTo] = useState(search.to ?? "");
  const [text, setText] = useState(search.amount ?? "");
  const [tried, setTried] = useState(false);
  const [reviewing, setReviewing] = useState(false);
  const [waiting, setWaiting] = useState(false);
  const [error, setError] = useState<unknown>();
  const checksumOf = useChecksum();
  const { data } = useNativeBalance({ address: account, chain: chain.hexId }, { autoFetch: true });
  const balance = data?.balance === undefined ? undefined : BigInt(data.balance);
  const amount = parseAmount(text, decimals);
  const recipient = to.trim();
  const problem = recipientProblem(to, checksumOf);
  const amountProblem =
    amount === undefined
      ? `Enter an amount, such as 1.5 (up to ${decimals} decimals).`
      : amount === 0n
        ? "Enter more than nothing."
        : balance !== undefined && amount > balance
          ? `You have ${displayAmount(balance, decimals)} ${symbol}.`
          : undefined;
  const toSelf = recipient.toLowerCase() === account.toLowerCase();

  function review(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    setError(undefined);
    if (!problem && !amountProblem) setReviewing(true);
  }

  async function send() {
    if (amount === undefined) return;
    setWaiting(true);
    setError(undefined);
    try {
      const { hash } = await Moralis.transfer({
        type: "native",
        receiver: recipient,
        amount: amount.toString(),
      });
      await navigate({ search: { tx: hash } });
    } catch (problem) {
      setError(problem);
    } finally {
      setWaiting(false);
    }
  }

  if (reviewing && amount !== undefined) {
    return (
      <section className="stack" aria-labelledby="review">
        <h2 id="review">Review</h2>
        <dl className="review">
          <dt>Amount</dt>
          <dd className="total number">
            {exactAmount(amount, decimals)} {symbol}
          </dd>
          <dt>To</dt>
          <dd>
            <Address address={checksumOf(recipient)} />
          </dd>
          <dt>From</dt>
          <dd>
            <Address address={checksumOf(account)} />
          </dd>
          <dt>Network</dt>
          <dd>{chain.name === "localdevchain" ? "Local chain" : chain.name}</dd>
        </dl>
        <p className="soft">The wallet adds the network's fee. What is sent cannot be taken back.</p>
        {waiting && <Stepper steps={stepsFor("wallet")} />}
        {error !== undefined && <ErrorState error={error} />}
        <div className="row">
          <Button look="primary" busy={waiting} onClick={() => void send()}>
            {waiting ? "Waiting for the wallet" : `Send ${symbol}`}
          </Button>
          <Button disabled={waiting} onClick={() => setReviewing(false)}>
            Change
          </Button>
        </div>
      </section>
    );
  }

  return (
    <form className="stack" onSubmit={review} noValidate aria-label="Send">
      <Field
        label="Recipient"
        value={to}
        onChange={(event) => setTo(event.target.value)}
        placeholder="0x…"
        spellCheck={false}
        autoComplete="off"
        problem={tried && problem ? RECIPIENT_PROBLEMS[problem] : undefined}
        hint={toSelf ? "This is your own address." : undefined}
      />
      <Field
        label={`Amount in ${symbol}`}
        value={text}
        onChange={(event) => setText(event.target.value)}
        inputMode="decimal"
        autoComplete="off"
        problem={tried ? amountProblem : undefined}
        hint={
          balance === undefined
            ? "Reading your balance …"
            : `You have ${displayAmount(balance, decimals)} ${symbol}.`
        }
        after={
          <Button
            disabled={balance === undefined || balance <= GAS_RESERVE}
            onClick={() => balance !== undefined && setText(exactAmount(balance - GAS_RESERVE, decimals))}
          >
            Max
          </Button>
        }
      />
      <Button type="submit" look="primary">
        Review
      </Button>
    </form>
  );
}

type Stage = "wallet" | "submitted" | "seen" | "confirmed" | Failure;
type Failure = "reverted" | "replaced" | "dropped";

/** A transaction from its hash on: also after a reload, in another tab, or from a link. */
function Following({ hash }: { hash: string }) {
  const { status, confirmations, error } = useTransaction(hash);
  const stage: Stage = status === "unknown" ? "submitted" : status;
  return (
    <section className="stack" aria-labelledby="following">
      <h2 id="following">
        {stage === "confirmed" ? "Sent" : isFailure(stage) ? FAILURES[stage].title : "On its way"}
      </h2>
      <Stepper steps={stepsFor(stage)} />
      <p className="row">
        <code className="address">{hash}</code>
        <CopyButton text={hash} label="transaction hash" />
      </p>
      {stage === "confirmed" && (
        <p className="soft">
          {confirmations} {confirmations === 1 ? "confirmation" : "confirmations"}
        </p>
      )}
      {error ? <ErrorState error={error} /> : null}
      <div className="row">
        <Link to="/send" search={{}} className="button">
          Send more
        </Link>
        <Link to="/portfolio" className="button quiet">
          Portfolio
        </Link>
      </div>
    </section>
  );
}

const STAGES = ["wallet", "submitted", "seen", "confirmed"] as const;
const LABELS = {
  wallet: "Waiting for the wallet",
  submitted: "Submitted to the network",
  seen: "Seen by the node",
  confirmed: "Confirmed in a block",
} as const;

const FAILURES: Record<Failure, { title: string; label: string }> = {
  reverted: { title: "Reverted", label: "Reverted by the chain" },
  replaced: { title: "Replaced", label: "Another transaction has taken its place" },
  dropped: { title: "Dropped", label: "Forgotten by the node" },
};

function isFailure(stage: Stage): stage is Failure {
  return Object.hasOwn(FAILURES, stage);
}

function stepsFor(stage: Stage): { label: string; state: StepState }[] {
  if (isFailure(stage)) {
    return STAGES.map((each) => ({
      label: each === "confirmed" ? FAILURES[stage].label : LABELS[each],
      state: each === "confirmed" ? "failed" : "done",
    }));
  }
  const at = STAGES.indexOf(stage);
  return STAGES.map((each, i) => ({
    label: LABELS[each],
    state: i < at || stage === "confirmed" ? "done" : i === at ? "now" : "todo",
  }));
}

/** EIP-55 spelling, once the code for it has come; until then addresses stay as they were typed. */
function useChecksum(): (address: string) => string {
  const [checksum, setChecksum] = useState<(address: string) => string>();
  useEffect(() => {
    let wanted = true;
    void import("../wallet/checksum.ts").then((module) => wanted && setChecksum(() => module.checksumOf));
    return () => {
      wanted = false;
    };
  }, []);
  return checksum ?? ((address) => address);
}
