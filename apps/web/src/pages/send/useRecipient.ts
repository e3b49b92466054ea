import { kindOfCode } from "@purse/client";
import { useMoralis } from "@purse/react";
import { useTranslation } from "@purse/ui";
import { useDeferredValue } from "react";
import { findLookalike, recipientProblem } from "../../money/recipient.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";
import { isDomainName, lookupAddress, resolveName } from "../../wallet/domainNames.ts";
import { pastRecipients } from "../../wallet/pastRecipients.ts";
import { useChecksum } from "../../wallet/useChecksum.ts";
import { useLoggedTransactions } from "../../wallet/useLoggedTransactions.ts";
import { contactByName } from "./contactByName.ts";
import { RECIPIENT_PROBLEMS } from "./recipientProblems.ts";
import type { useAddressBook } from "./useAddressBook.ts";

export interface Recipient {
  /** With EIP-55 checksum; undefined while there is no valid address. */
  address: string | undefined;
  /** The typed name, the reverse-resolved one, or that of the contact. */
  name: string | undefined;
  problem: string | undefined;
  isResolving: boolean;
  isContract: boolean | undefined;
  /** A known address that looks similar. */
  lookalike: { address: string; name: string | undefined } | undefined;
  /** Addresses that got something from this wallet before, latest first. */
  recents: readonly string[];
  /** Whether those of the chain are not known yet. */
  isLoadingRecents: boolean;
  /** Whether this wallet has sent nothing to the address yet; undefined while unknown. */
  isFirstTime: boolean | undefined;
  /** A check that failed, with a retry function; undefined if all succeeded. */
  unchecked: { what: "past" | "book" | "code"; isFetching: boolean; retry: () => void } | undefined;
}

/** Resolves the typed recipient: an address or a name. */
export function useRecipient(
  typed: string,
  { contacts, book }: Pick<ReturnType<typeof useAddressBook>, "contacts" | "book">,
  account: string,
  chain: AppChain,
): Recipient {
  const { t } = useTranslation();
  const { Moralis, provider } = useMoralis();
  const checksumOf = useChecksum();
  const chosen = contactByName(contacts, typed);
  const text = chosen ? chosen.address.trim() : typed.trim();
  const deferredText = useDeferredValue(text);
  const isName = !text.startsWith("0x") && isDomainName(text);
  const resolved = useServerQuery({
    queryKey: isName ? ["address of name", deferredText] : undefined,
    queryFn: (options) => resolveName(deferredText, options),
  });
  const isResolvingName =
    isName && (deferredText !== text || (resolved.data === undefined && resolved.error === null));
  const rawAddress = isName ? (resolved.data ?? "") : text;
  const addressProblem = isName ? undefined : recipientProblem(text, checksumOf);
  const problem = addressProblem ? t(RECIPIENT_PROBLEMS[addressProblem]) : isName ? nameProblem() : undefined;
  const address = problem || isResolvingName || !rawAddress ? undefined : checksumOf(rawAddress);
  const code = useServerQuery({
    queryKey: address && provider ? ["is contract", chain.hexId, address] : undefined,
    async queryFn() {
      const response = await provider?.request({ method: "eth_getCode", params: [address, "latest"] });
      // Smart accounts of EIP-7702 receive like other wallets.
      return typeof response === "string" && kindOfCode(response).kind === "contract";
    },
  });
  const reverse = useServerQuery({
    queryKey: address && !isName ? ["name of address", address] : undefined,
    queryFn: (options) => lookupAddress(address ?? "", options),
  });
  const log = useLoggedTransactions();
  const loggedRecipients = log.flatMap(({ reference }) =>
    reference.call?.to && reference.call.data === "0x" ? [reference.call.to] : [],
  );
  // On-chain history is available in every browser, so users must know if it cannot be read.
  const chainRecipients = useServerQuery({
    queryKey: ["past recipients", account.toLowerCase(), chain.hexId],
    queryFn: (options) => pastRecipients(Moralis.Web3API, account.toLowerCase(), chain, options),
  });
  const failed = [
    { what: "past" as const, query: chainRecipients },
    { what: "book" as const, query: book },
    { what: "code" as const, query: code },
  ].find(({ query }) => query.error !== null && query.data === undefined);
  const known = [
    ...contacts.map((contact) => contact.address),
    account,
    ...loggedRecipients,
    ...(chainRecipients.data ?? []),
  ];
  const recents = [
    ...new Set([...loggedRecipients, ...(chainRecipients.data ?? [])].map((each) => each.toLowerCase())),
  ];
  const lookalikeAddress = address && findLookalike(address, known);
  const inBook = contacts.find((contact) => contact.address.toLowerCase() === address?.toLowerCase());
  return {
    address,
    name: inBook?.name ?? (isName ? text : (reverse.data ?? undefined)),
    problem,
    isResolving: isResolvingName,
    isContract: code.data,
    lookalike: lookalikeAddress
      ? {
          address: lookalikeAddress,
          name: contacts.find((contact) => contact.address.toLowerCase() === lookalikeAddress)?.name,
        }
      : undefined,
    recents,
    isLoadingRecents: chainRecipients.data === undefined && chainRecipients.error === null,
    isFirstTime: address && chainRecipients.data ? !recents.includes(address.toLowerCase()) : undefined,
    unchecked: failed && {
      what: failed.what,
      isFetching: failed.query.isFetching,
      retry: () => void failed.query.refetch(),
    },
  };

  function nameProblem(): string | undefined {
    if (isResolvingName) return undefined;
    if (resolved.error) return t("This name could not be resolved. Try again, or paste the address.");
    return resolved.data ? undefined : t("This name does not resolve to an address.");
  }
}
