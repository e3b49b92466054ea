import { Address, Skeleton, useTranslation } from "@purse/ui";
import { useId } from "react";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { addressLabel } from "../../wallet/addressLabels.ts";
import type { Contact } from "./useAddressBook.ts";

/** Choices shown at most. */
const MAX_CHOICES = 6;
/** Recent recipients whose names are read. */
const MAX_NAMED = 30;

export interface RecipientChoicesProps {
  contacts: readonly Contact[];
  /** Addresses that got something from this wallet before, the latest first; undefined while unknown. */
  recents: readonly string[] | undefined;
  /** Hex chain ID. */
  chain: string;
  /** What is typed so far: choices contain it. */
  text: string;
  onChoose: (address: string) => void;
}

/** Contacts and recent recipients, to choose one without typing an address. */
export function RecipientChoices({ contacts, recents, chain, text, onChoose }: RecipientChoicesProps) {
  const { t } = useTranslation();
  const id = useId();
  const named = (recents ?? []).slice(0, MAX_NAMED);
  const names = useServerQuery({
    queryKey: named.length > 0 ? ["names of recipients", chain, ...named] : undefined,
    async queryFn() {
      const labels = await Promise.all(named.map((address) => addressLabel(chain, address)));
      const found: Record<string, string> = {};
      for (const [i, address] of named.entries()) found[address] = labels[i]?.name ?? "";
      return found;
    },
    keepPrevious: "always",
  });
  const isLoading = recents === undefined || (named.length > 0 && names.data === undefined && !names.error);
  const choices = isLoading
    ? []
    : recipientChoices(contacts, recents, text, names.data).slice(0, MAX_CHOICES);
  // Without a text the place is kept, so that nothing below moves when the choices arrive.
  if (choices.length === 0 && text.trim() !== "") return null;
  return (
    <div className="stack tight">
      <span id={id} className="small soft">
        {t("Suggestions")}
      </span>
      {choices.length > 0 ? (
        <ul className="recipient-choices" aria-labelledby={id}>
          {choices.map(({ address, name }) => (
            <li key={address}>
              <button type="button" className="chip recipient-choice" onClick={() => onChoose(address)}>
                {name !== undefined && <bdi className="clip strong">{name.slice(0, 40)}</bdi>}
                <Address address={address} short />
              </button>
            </li>
          ))}
        </ul>
      ) : isLoading ? (
        <Skeleton height="2rem" />
      ) : (
        <p className="recipient-choices small">{t("Contacts and recent recipients appear here.")}</p>
      )}
    </div>
  );
}

/** Contacts first, then recent recipients that are none; only those that contain the text, none if one is it. */
export function recipientChoices(
  contacts: readonly Contact[],
  recents: readonly string[],
  text: string,
  /** Names of recents (ENS). */
  names: Readonly<Record<string, string>> = {},
): { address: string; name: string | undefined }[] {
  const searched = text.trim().toLowerCase();
  const known = new Set(contacts.map(({ address }) => address.toLowerCase()));
  const all = [
    ...contacts.map(({ address, name }): { address: string; name: string | undefined } => ({
      address,
      name,
    })),
    ...recents
      .filter((address) => !known.has(address.toLowerCase()))
      .map((address) => ({ address, name: names[address] || undefined })),
  ];
  if (all.some(({ address }) => address.toLowerCase() === searched)) return [];
  return all.filter(
    ({ address, name }) => address.toLowerCase().includes(searched) || name?.toLowerCase().includes(searched),
  );
}
