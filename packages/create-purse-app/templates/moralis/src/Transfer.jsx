import Moralis from "moralis-v1";
import { useState } from "react";
import { useMoralis, useNativeBalance, useWeb3Transfer } from "react-moralis";

export function Transfer() {
  const { isWeb3Enabled } = useMoralis();
  const [receiver, setReceiver] = useState("");
  const [amount, setAmount] = useState("0.1");
  const [receipt, setReceipt] = useState();
  const { data: balance, getBalances } = useNativeBalance();
  const { fetch, error, isFetching } = useWeb3Transfer();

  const send = (event) => {
    event.preventDefault();
    fetch({
      params: { type: "native", receiver, amount: Moralis.Units.ETH(amount) },
      onSuccess: async (transaction) => {
        setReceipt(await transaction.wait());
        await getBalances();
      },
    });
  };

  return (
    <section aria-labelledby="send">
      <h2 id="send">Send coins</h2>
      <form onSubmit={send}>
        <label>
          To
          <input value={receiver} onChange={(event) => setReceiver(event.target.value)} required />
        </label>
        <label>
          Amount
          <input value={amount} onChange={(event) => setAmount(event.target.value)} required />
        </label>
        <button type="submit" disabled={!isWeb3Enabled || isFetching}>
          Send
        </button>
      </form>
      {balance.formatted && <p>Balance: {balance.formatted}</p>}
      {error && <p role="alert">{error.message}</p>}
      {receipt && (
        <p role="status">
          Transaction confirmed: <code>{receipt.transactionHash}</code>
        </p>
      )}
    </section>
  );
}
