import { useChain, useMoralis, useNativeBalance, useTransaction, useWeb3Transfer } from "@purse/react";
import { type FormEvent, useEffect, useState } from "react";

/** The local chain that Purse starts (1337). */
const CHAIN = "0x539";

export function SendCoins() {
  const { Moralis, isWeb3Enabled, enableWeb3 } = useMoralis();
  const { chainId, switchNetwork } = useChain();
  const { data: balance, getBalances } = useNativeBalance({ chain: CHAIN });
  const { fetch: transfer, data: transaction, error, isFetching } = useWeb3Transfer();
  const { status } = useTransaction(transaction?.reference);
  const [receiver, setReceiver] = useState("");
  const [amount, setAmount] = useState("0.1");

  useEffect(() => {
    if (status === "confirmed") getBalances();
  }, [status, getBalances]);

  function send(event: FormEvent) {
    event.preventDefault();
    transfer({ params: { type: "native", receiver, amount: Moralis.Units.ETH(amount) } });
  }

  return (
    <section aria-labelledby="send">
      <h2 id="send">Send coins</h2>
      {!isWeb3Enabled ? (
        <button type="button" onClick={() => enableWeb3()}>
          Connect the wallet
        </button>
      ) : chainId !== CHAIN ? (
        <button type="button" onClick={() => switchNetwork(CHAIN)}>
          Switch to the local chain
        </button>
      ) : (
        <form onSubmit={send}>
          <label>
            To
            <input value={receiver} onChange={(event) => setReceiver(event.target.value)} required />
          </label>
          <label>
            Amount
            <input
              value={amount}
              onChange={(event) => setAmount(event.target.value)}
              inputMode="decimal"
              required
            />
          </label>
          <button type="submit" disabled={isFetching}>
            Send
          </button>
        </form>
      )}
      {balance.formatted && <p>Balance: {balance.formatted}</p>}
      {error && <p role="alert">{error.message}</p>}
      {transaction && (
        <p role="status">
          Transaction {status}: <code>{transaction.hash}</code>
        </p>
      )}
    </section>
  );
}
