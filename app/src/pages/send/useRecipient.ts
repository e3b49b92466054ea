import { useMoralis } from "@purse/react";
import { useDeferredValue } from "react";
import { lookalikeOf, recipientProblem } from "../../money/address.ts";
import type { AppChain } from "../../settings.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { addressOfName, nameOfAddress } from "../../wallet/names.ts";
import { pastRecipients } from "../../wallet/pastRecipients.ts";
import { useAsk } from "../../wallet/useAsk.ts";
import { useChecksum } from "../../wallet/useChecksum.ts";
import { useLoggedTransactions } from "../../wallet/useLoggedTransactions.ts";
import { RECIPIENT_PROBLEMS } from "./recipientProblems.ts";
import type { Contact } from "./useAddressBook.ts";

export interface Recipient {
  /** In EIP-55 spelling; undefined while there is none that can be sent to. */
  address: string | undefined;
  /** The name that was typed, or that the address has given itself, or the one in the address book. */
  name: string | undefined;
  problem: string | undefined;
  isResolving: boolean;
  isContract: boolean | undefined;
  /** A known address that this one could be taken for. */
  lookalike: { address: string; name: string | undefined } | undefined;
}

/** Who is meant by what is typed: an address, or a name that stands for one. */
export function useRecipient(
  typed: string,
  contacts: readonly Contact[],
  account: string,
  chain: AppChain,
): Recipient {
  const { t } = useTexts();
  const { Moralis, provider } = useMoralis();
  const checksumOf = useChecksum();
  const text = typed.trim();
  const asked = useDeferredValue(text);
  const isName = !text.startsWith("0x") && /^[^\s]+\.[^\s.]{2,}$/u.test(text);
  const resolved = useAsk(isName ? `name ${asked}` : undefined, () => addressOfName(asked));
  const resolving = isName && (asked !== text || (resolved.data === undefined && !resolved.error));
  const wanted = isName ? (resolved.data ?? "") : text;
  const shape = isName ? undefined : recipientProblem(text, checksumOf);
  const problem = shape ? t(RECIPIENT_PROBLEMS[shape]) : isName ? nameProblem() : undefined;
  const address = problem || resolving || !wanted ? undefined : checksumOf(wanted);
  const code = useAsk(address && provider ? `code ${address}` : undefined, async () => {
    const answer = await provider?.request({ method: "eth_getCode", params: [address, "latest"] });
    return typeof answer === "string" && answer.length > 2;
  });
  const reverse = useAsk(address && !isName ? `reverse ${address}` : undefined, () =>
    nameOfAddress(address ?? ""),
  );
  const log = useLoggedTransactions();
  const sentTo = log.flatMap(({ reference }) =>
    reference.call?.to && reference.call.data === "0x" ? [reference.call.to] : [],
  );
  // What the chain remembers of the sender holds in every browser; where it cannot be read, the rest has to do.
  const past = useAsk(`past ${account}/${chain.hexId}`, () =>
    pastRecipients(Moralis.Web3API, account.toLowerCase(), chain),
  );
  const known = [...contacts.map((contact) => contact.address), account, ...sentTo, ...(past.data ?? [])];
  const twin = address && lookalikeOf(address, known);
  const inBook = contacts.find((contact) => contact.address.toLowerCase() === address?.toLowerCase());
  return {
    address,
    name: inBook?.name ?? (isName ? text : (reverse.data ?? undefined)),
    problem,
    isResolving: resolving,
    isContract: code.data,
    lookalike: twin
      ? { address: twin, name: contacts.find((contact) => contact.address.toLowerCase() === twin)?.name }
      : undefined,
  };

  function nameProblem(): string | undefined {
    if (resolving) return undefined;
    if (resolved.error) return t("This name could not be looked up. Try again, or paste the address.");
    return resolved.data ? undefined : t("No address stands behind this name.");
  }
}
